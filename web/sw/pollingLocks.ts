import type { Locks } from "../src/api";

/** How often a lock that somebody has is asked for, milliseconds, and how many times where nobody says another number. */
const EVERY_MS = 250;
const TRIES = 80;

const pause = (): Promise<void> => new Promise((over) => setTimeout(over, EVERY_MS));

/**
 * The browser's locks, for a service worker: it never stands in line for one. A page keeps its locks in the back-forward
 * cache, and in Chromium (156) a service worker that stands in line behind such a page stops the line for all who come
 * after it, also once the page is back.
 */
export const pollingLocks = (locks: LockManager, tries = TRIES): Locks => ({
  async request<T>(name: string, work: (lock: Lock) => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const done = await locks.request(
        name,
        { ifAvailable: true },
        async (lock) => lock && { value: await work(lock) },
      );
      if (done) return done.value;
      await pause();
    }
    throw new Error(`somebody else keeps the lock ${name}`);
  },
});
