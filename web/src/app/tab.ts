import { LEADER_LOCK } from "../storage/stateDatabase";
import { newUuid } from "./ambient";

const RECORD = "touchline:tab";
const lockOf = (tab: string): string => `touchline-tab/${tab}`;
const forEver = (): Promise<void> => new Promise(() => undefined);

/** Takes a lock until `over` settles, or for as long as the page lives; false when someone else has it. */
function take(name: string, locks: LockManager, over = forEver()): Promise<boolean> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : over;
      })
      .catch(reject);
  });
}

/** Takes a lock from whoever has it. */
function steal(name: string, locks: LockManager, over: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { steal: true }, () => {
        resolve(true);
        return over;
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

/** A tab's standing for the one that writes what belongs to the viewer. */
export interface Candidacy {
  readonly isHolder: boolean;
  /** Leaves it to the others, for good. */
  resign(): void;
}

/**
 * Stands for the tab that writes what belongs to the viewer: the first one does. `elected` is called later, when the tab
 * that does has gone and this one follows it. Without Web Locks every tab does. Where no other tab is there the service
 * worker has the lock, to send what an earlier page left: a page does not wait for it.
 */
export async function standForHolder(
  tab: string,
  locks: LockManager | undefined,
  elected: () => void,
): Promise<Candidacy> {
  let resign = (): void => undefined;
  const over = new Promise<void>((resigned) => {
    resign = resigned;
  });
  if (!locks) return { isHolder: true, resign };
  const isFree = await take(LEADER_LOCK, locks, over);
  const isHolder = isFree || ((await otherTabs(tab, locks)).length === 0 && (await steal(LEADER_LOCK, locks, over)));
  if (!isHolder) {
    locks
      .request(LEADER_LOCK, () => {
        elected();
        return over;
      })
      .catch(() => undefined);
  }
  return { isHolder, resign };
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
