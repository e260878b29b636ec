import localforage from "localforage";
import type { LogStorage } from "../eventlog/stored-log";

const open = (name: string, storeName: string): LocalForage => localforage.createInstance({ name, storeName });

/** Stores entries in one transaction that is committed at once. */
export type Leave = (entries: ReadonlyMap<string, unknown>) => void;

/**
 * A second door to a localforage store, for a page that goes away: the transactions of a dying page are undone unless
 * they were committed, which localforage leaves to the browser.
 */
export async function openLeaving(forage: LocalForage): Promise<Leave> {
  await forage.ready();
  const { name = "", storeName = "" } = forage.config();
  const opening = indexedDB.open(name);
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  database.onversionchange = () => database.close();
  return (entries) => {
    try {
      const transaction = database.transaction(storeName, "readwrite");
      const store = transaction.objectStore(storeName);
      for (const [key, value] of entries) store.put(value, key);
      transaction.commit();
    } catch {
      // The usual writes are under way as well: this one only makes sure of them.
    }
  };
}

/** Recorded action logs, in segments. */
export function openLogStorage(): LogStorage {
  const forage = open("touchline-log", "lines");
  let leave: Leave = () => undefined;
  openLeaving(forage).then(
    (opened) => {
      leave = opened;
    },
    // Without IndexedDB localforage has another store, whose writes are at once.
    () => undefined,
  );
  return {
    getItem: (key) => forage.getItem(key),
    setItem: (key, value) => forage.setItem(key, value),
    removeItem: (key) => forage.removeItem(key),
    keys: () => forage.keys(),
    leave: (entries) => leave(entries),
  };
}

/** Snapshots of the state. */
export const openStateStorage = (): LocalForage => open("touchline-state", "snapshots");
