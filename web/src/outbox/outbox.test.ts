import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it } from "vitest";
import { PortError } from "../ports/error";
import { createQueue, MAX_RECEIVED } from "./queue";
import {
  accepting,
  add,
  at,
  clip,
  collected,
  drain,
  id,
  network,
  openBrowser,
  refused,
  removal,
  seen,
  session,
} from "./testing/browser";

let { tab, store } = openBrowser();
beforeEach(() => {
  ({ tab, store } = openBrowser());
});

describe("the outbox", () => {
  it("stores an item until a later page sends it, under its id as the Idempotency-Key", async () => {
    await tab(accepting).outbox.put(clip(1));
    const { outbox, sent } = tab(accepting);
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent).toEqual([{ method: "POST", path: "/clip", body: clip(1).payload, idempotencyKey: id(1), asUser: 7 }]);
    expect(await drain(tab(accepting).outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent).toHaveLength(1);
  });

  it("doesn't store an item again that is sent and not yet collected", async () => {
    const { outbox, sent } = tab(accepting);
    await outbox.put(clip(1));
    await drain(outbox, session);
    await tab(accepting).outbox.put(clip(1));
    await drain(outbox, session);
    expect(sent).toHaveLength(1);
    expect(await collected(outbox)).toEqual([[id(1), "done"]]);
  });

  it("doesn't store an item again that a slow tab puts after its outcome was received: it would be sent twice", async () => {
    const { outbox, sent } = tab(({ method }) => (method === "GET" ? [] : { id: 1 }));
    for (const item of [add(1, 5), removal(2, 5), add(3, 5)]) await outbox.put(item);
    await drain(outbox, session);
    expect(await collected(outbox)).toHaveLength(3);
    const before = sent.length;
    const late = tab(accepting).outbox;
    for (const item of [add(1, 5), removal(2, 5), add(3, 5)]) await late.put(item);
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent).toHaveLength(before);
    // It shows them as waiting, so it receives their end again.
    expect(await collected(late)).toEqual([1, 2, 3].map((n) => [id(n), "done", "again"]));
    expect(await collected(late)).toEqual([]);
  });

  it("remembers only the latest five hundred outcomes", async () => {
    const queue = createQueue({ store, fenced: store, maxAnalytics: 1 });
    const ended = Array.from({ length: MAX_RECEIVED + 1 }, (_, n) => ({
      place: n,
      item: clip(n),
      outcome: { outcome: "done", answer: null } as const,
      at,
    }));
    await queue.acknowledge(ended);
    expect(await store.keys()).toHaveLength(MAX_RECEIVED);
    await queue.put(clip(1));
    expect(await queue.waiting()).toEqual([]);
  });

  it("stores an item once, however often it is put", async () => {
    const { outbox, sent } = tab(accepting);
    await Promise.all([outbox.put(clip(1)), outbox.put(clip(1)), tab(accepting).outbox.put(clip(1))]);
    await drain(outbox, session);
    expect(sent).toHaveLength(1);
  });

  it("sends in the order of putting, even after the clock jumped back", async () => {
    const { outbox, sent } = tab(accepting);
    // UUIDv7 sorts by the clock: an item of an hour before has the smaller id.
    for (const item of [add(9, 5), removal(3, 5, 44), add(1, 5)]) await outbox.put(item);
    await drain(outbox, session);
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id(9), id(3), id(1)]);
  });

  it("blocks a subject's later items behind one that couldn't go, and no other subject's", async () => {
    const { outbox, sent } = tab(({ idempotencyKey }) => {
      if (idempotencyKey === id(1)) throw refused(503, "unavailable");
      return { id: 1 };
    });
    for (const item of [add(1, 5), add(2, 6), removal(3, 5, 44)]) await outbox.put(item);
    expect(await drain(outbox, session)).toEqual({ left: 2, retry_after_ms: null });
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id(1), id(2)]);
  });

  it("reports a defect, and keeps its item", async () => {
    const { outbox } = tab(() => {
      throw new TypeError("a defect");
    });
    await outbox.put(add(1, 5));
    await expect(outbox.drain()).rejects.toThrow("a defect");
    expect(await drain(tab(accepting).outbox, session)).toEqual({ left: 0, retry_after_ms: null });
  });

  it("sends only under the item's own user's key, and doesn't count another's as left", async () => {
    const { outbox, sent } = tab(accepting, { user: 8 });
    await outbox.put(add(1, 5, 7));
    await outbox.put(add(2, 5, 8));
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent.map(({ asUser }) => asUser)).toEqual([8]);
    const back = tab(accepting, { user: 7 });
    await drain(back.outbox, session);
    expect(back.sent.map(({ asUser }) => asUser)).toEqual([7]);
  });

  it("keeps items blocked by a lost key or a login elsewhere", async () => {
    for (const failure of [refused(401, "logged_out"), new PortError({ code: "wrong_user", message: "" })]) {
      const { outbox } = tab(() => {
        throw failure;
      });
      await outbox.put(add(1, 5));
      expect(await drain(outbox, session)).toEqual({ left: 1, retry_after_ms: null });
      expect(await collected(outbox)).toEqual([]);
    }
  });

  it("stops at once without a network, and reports the server's requested wait", async () => {
    const offline = tab(() => {
      throw network();
    });
    await offline.outbox.put(add(1, 5));
    await offline.outbox.put(add(2, 6));
    expect(await offline.outbox.drain()).toEqual({ left: 2, retry_after_ms: null });
    expect(offline.sent).toHaveLength(1);
    const busy = tab(() => {
      throw refused(429, "too_many", { retry_after_ms: 9000 });
    });
    expect(await busy.outbox.drain()).toEqual({ left: 2, retry_after_ms: 9000 });
    expect(busy.sent).toHaveLength(1);
    await busy.outbox.put(seen(3));
    expect(await busy.outbox.drainAnalytics(session)).toEqual({ left: 1, retry_after_ms: 9000 });
    expect(busy.sent).toHaveLength(2);
  });

  it("delivers each outcome to the site, repeatedly until the delivery is durable", async () => {
    const { outbox } = tab(({ idempotencyKey }) => {
      if (idempotencyKey === id(2)) throw refused(400, "not_allowed");
      return { id: 44 };
    });
    await outbox.put(add(1, 5));
    await outbox.put(add(2, 6));
    await drain(outbox, session);
    const crash = new Error("the tab was killed");
    await expect(outbox.collect(() => Promise.reject(crash))).rejects.toBe(crash);
    const outcomes = [
      [id(1), "done"],
      [id(2), "dead"],
    ];
    const next = tab(accepting);
    expect(await collected(next.outbox)).toEqual(outcomes);
    expect(await collected(next.outbox)).toEqual([]);
  });

  it("sends each item once, however often a drain is requested meanwhile", async () => {
    const { outbox, sent } = tab(accepting);
    for (let n = 1; n <= 5; n++) await outbox.put(add(n, n));
    await Promise.all([drain(outbox, session), drain(outbox, session)]);
    expect(sent).toHaveLength(5);
  });

  it("is drained by the leader alone: one replaced meanwhile sends and stores nothing more", async () => {
    let replaced = async (): Promise<unknown> => undefined;
    const older = tab(async (request) => {
      await replaced();
      return accepting(request);
    });
    const newer = tab(accepting);
    await older.lead();
    for (let n = 1; n <= 3; n++) await older.outbox.put(add(n, n));
    replaced = () => newer.lead();
    expect(await older.outbox.drain()).toEqual({ left: 0, retry_after_ms: null });
    expect(older.sent).toHaveLength(1);
    expect(await collected(newer.outbox)).toEqual([]);
    // Its answer was lost: it is sent again under the same key.
    await newer.outbox.drain();
    expect(newer.sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id(1), id(2), id(3)]);
    // It may still put items, and nothing else.
    await older.outbox.put(add(4, 4));
    await older.outbox.drain();
    await older.outbox.put(seen(5));
    await older.outbox.drainAnalytics(session);
    await older.outbox.collect(() => Promise.resolve());
    expect(older.sent).toHaveLength(1);
    expect(await collected(newer.outbox)).toHaveLength(3);
    expect(await drain(newer.outbox, session)).toEqual({ left: 0, retry_after_ms: null });
  });

  it("looks up the id of a favourite that was added and removed offline, and treats a missing one as removed", async () => {
    const favourites = [{ id: 44, favoritable_id: 5, favoritable_type: "participant" }];
    const { outbox, sent } = tab(({ path }) => {
      if (path === "/favorite/44") throw refused(404, "not_found");
      return path === "/favorites" ? favourites : { ok: true };
    });
    await outbox.put(removal(1, 5));
    await outbox.put(removal(2, 6));
    await drain(outbox, session);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /favorites",
      "DELETE /favorite/44",
      "GET /favorites",
    ]);
    expect(await collected(outbox)).toEqual([
      [id(1), "done"],
      [id(2), "done"],
    ]);
  });

  it("removes the favourite that it looked up, and no other, when it has to send the removal again", async () => {
    let currentId = 44;
    const { outbox, sent } = tab(({ method }) => {
      if (method === "GET") return [{ id: currentId, favoritable_id: 5, favoritable_type: "participant" }];
      throw network();
    });
    await outbox.put(removal(1, 5));
    await drain(outbox, session);
    // It arrived all the same, and the viewer added the team again elsewhere.
    currentId = 45;
    await drain(outbox, session);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /favorites",
      "DELETE /favorite/44",
      "DELETE /favorite/44",
    ]);
  });
});
