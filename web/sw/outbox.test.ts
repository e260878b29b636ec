import "fake-indexeddb/auto";
import { expect, it } from "vitest";
import { openAccountDatabase } from "../src/api";
import type { OutboxItem } from "../src/contracts/outbox";
import { openOutboxStore } from "../src/outbox";
import { drainOutbox } from "./outbox";

const heart: OutboxItem = {
  id: "0190a6e0-0000-7000-8000-000000000001",
  kind: "favourite.add",
  user_id: 7,
  at: 1_795_255_200_000,
  payload: { favoritable_id: 5, favoritable_type: "participant" },
};
const MINE = { channel_key: "northfield", api_key: "mine", user_id: 7 };

/** A service worker with one page, whose channel answers a favourite so. */
function scope(favourite: () => Response) {
  const told: unknown[] = [];
  const fetch = async (input: RequestInfo | URL) => {
    const { pathname } = new URL(String(input), "http://channel.test");
    if (pathname.startsWith("/keys/")) return Response.json({ channel_key: "northfield" });
    if (pathname === "/api/get_api_key") return Response.json({ data: { api_key: "fresh" } });
    return pathname === "/api/favorite" ? favourite() : Response.json({ data: null });
  };
  const page = { postMessage: (news: unknown) => told.push(news) };
  const worker = {
    fetch,
    navigator: { locks: undefined },
    location: { hostname: "northfield.test" },
    clients: { matchAll: async () => [page] },
  };
  return { worker: worker as unknown as ServiceWorkerGlobalScope, told };
}

const refusal = (status: number, errors: object) => () =>
  Response.json({ message: "no", code: "no", errors }, { status });

it.each([
  ["an answer that knows nobody", refusal(401, {}), "unauthenticated"],
  ["a key that is refused", refusal(400, { api_key: ["wrong"] }), "api_key"],
  ["both keys refused", refusal(400, { channel_key: ["wrong"] }), "unauthenticated"],
])("the pages are told when the service worker loses the key of whoever is logged in: %s", async (_, answer, how) => {
  await openOutboxStore().clear();
  await openAccountDatabase().setItem("keys", MINE);
  const { worker, told } = scope(answer);
  await drainOutbox(worker, [heart]).catch(() => undefined);
  expect(told).toContainEqual({ type: "key-lost", how });
});

it("the pages are told of no loss where there was none", async () => {
  await openOutboxStore().clear();
  await openAccountDatabase().setItem("keys", MINE);
  const { worker, told } = scope(() => Response.json({ data: { id: 1 } }));
  await drainOutbox(worker, [heart]);
  expect(told).toEqual([{ type: "outbox-drained" }]);
});

it("the service worker waits as long as the server asked it or a page to", async () => {
  await openOutboxStore().clear();
  await openAccountDatabase().setItem("keys", MINE);
  let asked = 0;
  const { worker } = scope(() => {
    asked += 1;
    const said = { message: "Too many requests.", code: "too_many", errors: {} };
    return Response.json(said, { status: 429, headers: { "retry-after": "60" } });
  });
  await expect(drainOutbox(worker, [heart])).rejects.toThrow("1 items are left");
  await expect(drainOutbox(worker)).rejects.toThrow("1 items are left");
  expect(asked).toBe(1);
});
