import "fake-indexeddb/auto";
import { beforeEach, expect, it, vi } from "vitest";
import type { OutboxItem } from "../src/contracts/outbox";
import { LEADER_LOCK, openStateDatabase } from "../src/storage/stateDatabase";
import { drainOutbox } from "./outbox";

const heart: OutboxItem = {
  id: "0190a6e0-0000-7000-8000-000000000001",
  kind: "favourite.add",
  user_id: 7,
  at: 1_795_255_200_000,
  payload: { favoritable_id: 5, favoritable_type: "participant" },
};
const MINE = { channel_key: "northfield", api_key: "mine", user_id: 7 };

let browsers = 0;
let database = openStateDatabase("none");
/** A signed-in viewer's browser whose last page left a heart. */
beforeEach(async () => {
  database = openStateDatabase(`browser-${++browsers}`);
  await database.storage("account").setItem("keys", MINE);
  await database.storage("outbox").setItem(`waiting/${heart.id}`, { place: 1, item: heart });
});

/** A service worker with one page, whose channel answers a favourite with `favourite`. */
function scope(favourite: () => Response | Promise<Response>, locks?: LockManager) {
  const messages: unknown[] = [];
  const fetch = async (input: RequestInfo | URL) => {
    const { pathname } = new URL(String(input), "http://channel.test");
    if (pathname.startsWith("/keys/")) return Response.json({ channel_key: "northfield" });
    if (pathname === "/api/get_api_key") return Response.json({ data: { api_key: "fresh" } });
    return pathname === "/api/favorite" ? favourite() : Response.json({ data: null });
  };
  const page = { postMessage: (message: unknown) => messages.push(message) };
  const worker = {
    fetch,
    navigator: { locks },
    location: { hostname: "northfield.test" },
    clients: { matchAll: async () => [page] },
  };
  return { worker: worker as unknown as ServiceWorkerGlobalScope, told: messages };
}

const refusal = (status: number, errors: object) => () =>
  Response.json({ message: "no", code: "no", errors }, { status });

it.each([
  ["an unauthenticated answer", refusal(401, {}), "unauthenticated"],
  ["a key that is refused", refusal(400, { api_key: ["wrong"] }), "api_key"],
  ["both keys refused", refusal(400, { channel_key: ["wrong"] }), "unauthenticated"],
])("the pages are notified when the service worker loses the user's key: %s", async (_, answer, how) => {
  const { worker, told: messages } = scope(answer);
  await drainOutbox(worker, database).catch(() => undefined);
  expect(messages).toContainEqual({ type: "key-lost", how });
});

it("the pages aren't notified without a loss", async () => {
  const { worker, told: messages } = scope(() => Response.json({ data: { id: 1 } }));
  await drainOutbox(worker, database);
  expect(messages).toEqual([{ type: "outbox-drained" }]);
});

it("the service worker waits as long as the server requested, from it or a page", async () => {
  let count = 0;
  const { worker } = scope(() => {
    count += 1;
    const said = { message: "Too many requests.", code: "too_many", errors: {} };
    return Response.json(said, { status: 429, headers: { "retry-after": "60" } });
  });
  await expect(drainOutbox(worker, database)).rejects.toThrow("1 items are left");
  await expect(drainOutbox(worker, database)).rejects.toThrow("1 items are left");
  expect(count).toBe(1);
});

/** Locks without a queue: the leader's lock is free or not. */
function leaderLock(isFree: () => boolean) {
  const requests: LockOptions[] = [];
  const request = async (name: string, options: LockOptions, work: (lock: Lock | null) => Promise<unknown>) => {
    if (name === LEADER_LOCK) requests.push(options);
    return work(name !== LEADER_LOCK || isFree() ? ({} as Lock) : null);
  };
  return { locks: { request } as unknown as LockManager, asked: requests };
}

it("the service worker sends nothing while a page leads, and never queues for its lock", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { locks, asked } = leaderLock(() => false);
  let sent = 0;
  const { worker, told: messages } = scope(() => Response.json({ data: { id: ++sent } }), locks);
  const draining = expect(drainOutbox(worker, database)).rejects.toThrow(LEADER_LOCK);
  await vi.advanceTimersByTimeAsync(5_000);
  await draining;
  vi.useRealTimers();
  expect([sent, messages]).toEqual([0, []]);
  expect(asked).toEqual(Array.from({ length: 8 }, () => ({ ifAvailable: true })));
});

it("the service worker waits for a page that is about to close, and takes over", async () => {
  await openStateDatabase(`browser-${browsers}`).lead();
  const free = [false, true];
  const { locks } = leaderLock(() => free.shift() ?? true);
  const { worker, told: messages } = scope(() => Response.json({ data: { id: 1 } }), locks);
  await drainOutbox(worker, database);
  expect(messages).toEqual([{ type: "outbox-drained" }]);
});

it("a page that leads while the service worker is sending continues under the same id, and alone", async () => {
  const page = openStateDatabase(`browser-${browsers}`);
  const ids: unknown[] = [];
  const { worker } = scope(
    async () => {
      await page.lead();
      return Response.json({ data: { id: 1 } });
    },
    leaderLock(() => true).locks,
  );
  const whole = worker.fetch;
  Object.assign(worker, {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => {
      if (String(input).endsWith("/favorite")) ids.push(new Headers(init?.headers).get("idempotency-key"));
      return whole(input, init);
    },
  });
  await page.storage("outbox").setItem("waiting/later", { place: 2, item: { ...heart, id: "later" } });
  await drainOutbox(worker, database);
  expect(ids).toEqual([heart.id]);
  expect(await page.storage("outbox").keys()).toEqual([`waiting/${heart.id}`, "waiting/later"].sort());
});
