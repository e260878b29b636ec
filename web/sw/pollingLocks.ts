import type { Locks } from "../src/api";

/** Poll interval of a held lock in milliseconds, and the default number of attempts. */
const POLL_MS = 250;
const MAX_TRIES = 80;

const pause = (): Promise<void> => new Promise((release) => setTimeout(release, POLL_MS));

/**
 * The browser's locks for a service worker, which never queues for one. A page in the back-forward cache keeps its
 * locks, and in Chromium (156) a service worker that queues behind such a page blocks all later requests, even once the
 * page is back.
 */
export const pollingLocks = (locks: LockManager, tries = MAX_TRIES): Locks => ({
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
    throw new Error(`the lock ${name} is held elsewhere`);
  },
});
