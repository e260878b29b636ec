// Browser features that may be absent or throw, each for itself: with cookies blocked, in a frame, or in an old browser
// (docs/browser.md). The databases have a fallback of their own (storage/database.ts).

/** Runs a reader; undefined where the browser refuses. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The used part of a Storage. */
export type TextStorage = Pick<Storage, "getItem" | "setItem">;

/** The store of a tab's name, which outlives a reload; in memory if the browser refuses. */
export function tabStorage(): TextStorage {
  const stored = readable(() => {
    const storage = window.sessionStorage;
    storage.getItem("");
    return storage;
  });
  if (stored) return stored;
  const values = new Map<string, string>();
  return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => void values.set(key, value) };
}

/** Web Locks; undefined where there are none, or where requests are refused. */
export async function usableLocks(): Promise<LockManager | undefined> {
  const locks = readable(() => (navigator as { readonly locks?: LockManager }).locks);
  return locks?.query().then(
    () => locks,
    () => undefined,
  );
}

/** The container of service workers; undefined without one. */
export const serviceWorkers = (): ServiceWorkerContainer | undefined =>
  readable(() => (navigator as { readonly serviceWorker?: ServiceWorkerContainer }).serviceWorker);
