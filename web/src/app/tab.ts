import { newUuid } from "./ambient";

const RECORD = "touchline:tab";
const HOLDER = "touchline-holder";
const lockOf = (tab: string): string => `touchline-tab/${tab}`;
const forEver = (): Promise<never> => new Promise(() => undefined);

/** Takes a lock for as long as the page lives; false when someone else has it. */
function take(name: string, locks: LockManager): Promise<boolean> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : forEver();
      })
      .catch(reject);
  });
}

/** This tab's name. It outlives a reload; a duplicated tab, which starts with a copy of the name, takes a new one. */
export async function nameTab(storage: Storage, locks: LockManager | undefined): Promise<string> {
  const kept = storage.getItem(RECORD);
  if (kept !== null && (!locks || (await take(lockOf(kept), locks)))) return kept;
  const fresh = newUuid();
  storage.setItem(RECORD, fresh);
  if (locks) await take(lockOf(fresh), locks);
  return fresh;
}

/**
 * Whether this tab is the one that writes what belongs to the viewer: the first one is. `elected` is called later, when
 * the tab that is has gone and this one follows it. Without Web Locks every tab is.
 */
export async function standForHolder(locks: LockManager | undefined, elected: () => void): Promise<boolean> {
  if (!locks || (await take(HOLDER, locks))) return true;
  locks
    .request(HOLDER, () => {
      elected();
      return forEver();
    })
    .catch(() => undefined);
  return false;
}

/** The other tabs that are there now. */
export async function otherTabs(tab: string, locks: LockManager): Promise<string[]> {
  const prefix = lockOf("");
  const { held = [] } = await locks.query();
  const names = held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return names.filter((name) => name !== tab).sort();
}

/** How often the other tabs are looked for, milliseconds. */
const LOOK_EVERY_MS = 3000;

/** The watch over the other tabs. */
export interface TabWatch {
  /** A tab told something: it is there, whether it was seen yet or not. */
  met(name: string): void;
}

/**
 * Tells of the other tabs, at once and whenever they change. A tab that is missing counts as gone at the second look:
 * one that is being reloaded is missing for a moment, and its processes are still its own.
 */
export function watchTabs(look: () => Promise<string[]>, changed: (others: string[]) => void): TabWatch {
  let told: readonly string[] | null = null;
  let before: readonly string[] = [];
  const again = async (): Promise<void> => {
    const now = await look();
    const others = [...new Set([...now, ...before.filter((name) => told?.includes(name))])].sort();
    before = now;
    if (told === null || others.join() !== told.join()) changed(others);
    told = others;
    setTimeout(() => void again(), LOOK_EVERY_MS);
  };
  void again();
  return {
    met(name) {
      if (told?.includes(name)) return;
      const others = [...(told ?? []), name].sort();
      told = others;
      before = [...before, name];
      changed(others);
    },
  };
}
