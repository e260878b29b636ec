import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pollingLocks } from "./pollingLocks";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Locks, one of which is held elsewhere until released. Fails any request that would queue. */
function lockedLocks() {
  let isLocked = true;
  const request = async <T>(_: string, { ifAvailable }: LockOptions, work: (lock: Lock | null) => Promise<T>) => {
    if (!ifAvailable) throw new Error("queues");
    return work(isLocked ? null : ({} as Lock));
  };
  return { locks: { request } as unknown as LockManager, letGo: () => (isLocked = false) };
}

it("a held lock is polled until it is released, and never queued for", async () => {
  const { locks, letGo } = lockedLocks();
  const work = vi.fn(async () => "done");
  const done = pollingLocks(locks).request("outbox", work);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).not.toHaveBeenCalled();
  letGo();
  await vi.advanceTimersByTimeAsync(250);
  expect(await done).toBe("done");
  expect(work).toHaveBeenCalledTimes(1);
});

it("polling ends in time if the lock is never released, well before the browser stops the service worker", async () => {
  const done = pollingLocks(lockedLocks().locks).request("outbox", async () => "done");
  const refused = expect(done).rejects.toThrow("the lock outbox is held elsewhere");
  await vi.advanceTimersByTimeAsync(20_000);
  await refused;
});

it("an error under a lock reaches its caller", async () => {
  const { locks, letGo } = lockedLocks();
  letGo();
  const failing = pollingLocks(locks).request("outbox", async () => Promise.reject(new Error("no network")));
  await expect(failing).rejects.toThrow("no network");
});
