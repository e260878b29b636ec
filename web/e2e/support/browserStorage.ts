import { isDeepStrictEqual } from "node:util";
import { expect, type Page } from "@playwright/test";

/** The site's stored data about a visitor: each entry's location, with its content as text. */
export type StoredEntries = { readonly [place: string]: string };

/**
 * Reads the site's stored data about a visitor in this browser, except the growing log and the ages of fetched public
 * files.
 */
export function readBrowserStorage(page: Page): Promise<StoredEntries> {
  return page.evaluate(async () => {
    const entries: { [place: string]: string } = {};
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const textOf = (value: unknown): string =>
      // A snapshot's log position changes with the log.
      JSON.stringify(value, (key, inner) => (key === "_position" ? undefined : inner)) ?? String(value);
    for (const { name = "" } of await indexedDB.databases()) {
      if (name === "workbox-expiration") continue;
      entries[name] = "a database";
      if (name === "touchline-log") continue;
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const objects = database.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([done(objects.getAllKeys()), done(objects.getAll())]);
        for (const [index, key] of keys.entries()) entries[`${name}/${store}/${String(key)}`] = textOf(values[index]);
      }
      database.close();
    }
    for (const [name, storage] of Object.entries({ localStorage, sessionStorage }))
      for (const [key, value] of Object.entries(storage)) entries[`${name}/${key}`] = String(value);
    entries.cookies = document.cookie;
    return entries;
  });
}

/** The same, once the visitor's last snapshot and events are stored and sent: nothing changes any more. */
export async function readSettledStorage(page: Page): Promise<StoredEntries> {
  let previous: StoredEntries = {};
  const isSettled = async (): Promise<boolean> => {
    const earlier = previous;
    previous = await readBrowserStorage(page);
    return isDeepStrictEqual(previous, earlier);
  };
  // Longer than a snapshot's debounce.
  await expect.poll(isSettled, { intervals: [1_500], timeout: 20_000 }).toBe(true);
  return previous;
}
