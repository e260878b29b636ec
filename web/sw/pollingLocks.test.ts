import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pollingLocks } from "./pollingLocks";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Locks, one of which is held elsewhere until released. Fails any request that would queue. */
function locksHeld() {
  let isHeld = true;
  const request = async <T>(_: string, { ifAvailable }: LockOptions, work: (lock: Lock | null) => Promise<T>) => {
    if (!ifAvailable) throw new Error("stands in line");
    return work(isHeld ? null : ({} as Lock));
  };
  return { locks: { request } as unknown as LockManager, letGo: () => (isHeld = false) };
}

it("a lock that somebody has is asked for until it is let go, and never waited for in line", async () => {
  const { locks, letGo } = locksHeld();
  const work = vi.fn(async () => "done");
  const done = pollingLocks(locks).request("outbox", work);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).not.toHaveBeenCalled();
  letGo();
  await vi.advanceTimersByTimeAsync(250);
  expect(await done).toBe("done");
  expect(work).toHaveBeenCalledTimes(1);
});

it("one that is never let go is given up, well before the browser ends the service worker", async () => {
  const done = pollingLocks(locksHeld().locks).request("outbox", async () => "done");
  const refused = expect(done).rejects.toThrow("somebody else keeps the lock outbox");
  await vi.advanceTimersByTimeAsync(20_000);
  await refused;
});

it("what fails under a lock fails for who asked", async () => {
  const { locks, letGo } = locksHeld();
  letGo();
  const failing = pollingLocks(locks).request("outbox", async () => Promise.reject(new Error("no network")));
  await expect(failing).rejects.toThrow("no network");
});
