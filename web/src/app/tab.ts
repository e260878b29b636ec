import { newUuid } from "./ambient";

const RECORD = "touchline:tab";
const lockOf = (tab: string): string => `touchline-tab/${tab}`;
const forEver = (): Promise<void> => new Promise(() => undefined);

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

/** The other tabs that are there now; without Web Locks nobody can tell. */
export async function otherTabs(tab: string, locks: LockManager | undefined): Promise<string[]> {
  if (!locks) return [];
  const prefix = lockOf("");
  const { held = [] } = await locks.query();
  const names = held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return names.filter((name) => name !== tab).sort();
}
