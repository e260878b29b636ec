import "fake-indexeddb/auto";
import localforage from "localforage";
import { beforeEach, describe, expect, it } from "vitest";
import type { AnalyticsIdentity, OutboxItem } from "../contracts/outbox";
import type { Json } from "../lib/json";
import { PortError } from "../ports/error";
import type { Exclusive, OutboxRequest } from "./channel";
import {
  createOutbox,
  type Outbox,
  type OutboxParts,
  type OutboxWire,
  recallIdentity,
  sendsAnalyticsFrom,
} from "./index";
import { MOST_UNSENT_ANALYTICS, type OrderedStore } from "./queue";

const id = (n: number): string => `0190a6e0-0000-7000-8000-${String(n).padStart(12, "0")}`;
const at = 1_795_255_200_000;
const add = (n: number, team: number, user_id = 7): OutboxItem => ({
  id: id(n),
  kind: "favourite.add",
  user_id,
  at,
  payload: { favoritable_id: team, favoritable_type: "participant" },
});
const removal = (n: number, team: number, favourite: number | null = null): OutboxItem => ({
  id: id(n),
  kind: "favourite.remove",
  user_id: 7,
  at,
  payload: { id: favourite, favoritable_id: team, favoritable_type: "participant" },
});
const clip = (n: number): OutboxItem => ({
  id: id(n),
  kind: "clip.create",
  user_id: 7,
  at,
  payload: { event_id: 1, name: "Goal", start_time: 3, duration: 9, tags: ["goal"], event_media_id: 2 },
});
const seen = (n: number, body: { [field: string]: Json } = { event: "page_view" }, user_id?: number): OutboxItem => ({
  id: id(n),
  kind: "analytics",
  ...(user_id === undefined ? {} : { user_id }),
  at,
  payload: { path: "/datalake/event/", body },
});

/** What the browser lets be on its way in all, of requests that outlive their page (Fetch, `keepalive`). */
const KEPT_BYTES = 65_536;

const session = { profile: "p1", session: "s1" };
const sender = { profile: "p1", session_uuid: "s1" };

const network = () => new PortError({ code: "network", message: "", retryable: true });
const refused = (status: number, code: string, details: Json = null) =>
  new PortError({ code, message: `said ${code}`, status, retryable: status >= 500 || status === 429, details });

type Answer = (request: OutboxRequest) => Json;
const eventIds = ({ body }: OutboxRequest) =>
  (body as { events?: { id: string }[] }).events?.map((event) => event.id) ?? [];
const accepting: Answer = (request) =>
  request.path === "/datalake/batch"
    ? { results: eventIds(request).map((event) => ({ id: event, outcome: "accepted" })) }
    : { id: 1 };

/** One lock a name for the whole browser. */
function locks(): (name: string) => Exclusive {
  const last = new Map<string, Promise<unknown>>();
  return (name) => (work) => {
    const next = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(
      name,
      next.catch(() => undefined),
    );
    return next;
  };
}

/** What reaches every other outbox of the browser. */
function wires(): () => OutboxWire {
  const joined: OutboxWire[] = [];
  return () => {
    const wire: OutboxWire = {
      onmessage: null,
      postMessage(news) {
        for (const other of joined) if (other !== wire) other.onmessage?.({ data: structuredClone(news) });
      },
    };
    joined.push(wire);
    return wire;
  };
}

let store: OrderedStore;
let joins: () => OutboxWire;
let lock: (name: string) => Exclusive;
let count = 0;

beforeEach(() => {
  store = localforage.createInstance({ name: `outbox-${++count}` });
  lock = locks();
  joins = wires();
});

function tab(answer: Answer, more: Partial<OutboxParts> & { user?: number | null } = {}) {
  const sent: OutboxRequest[] = [];
  const channel = {
    async send(request: OutboxRequest) {
      sent.push(request);
      return answer(request);
    },
    userId: async () => (more.user === undefined ? 7 : more.user),
    emailOf: (userId: number) => (userId === 7 ? "vera@example.test" : null),
  };
  const outbox = createOutbox({ store, channel, sendsAnalytics: true, lock, wire: joins(), now: () => at, ...more });
  return { outbox, sent };
}

/** Sends both kinds, and tells what is left of both. */
async function drain(outbox: Outbox, identity: AnalyticsIdentity | null) {
  const seen = await outbox.drain();
  const analytics = await outbox.drainAnalytics(identity);
  return { left: seen.left + analytics.left, retry_after_ms: seen.retry_after_ms ?? analytics.retry_after_ms };
}

/** The page is hidden: what it sends off, and what it leaves to the service worker. */
function hide(outbox: Outbox, answer: (bytes: number) => Promise<void> = async () => undefined) {
  const sent: string[] = [];
  const last = outbox.pageHidden((_, body) => {
    sent.push(...eventIds({ body: JSON.parse(body) } as OutboxRequest));
    return answer(Buffer.byteLength(body));
  });
  return { sent, last };
}

async function collected(outbox: ReturnType<typeof tab>["outbox"]) {
  const heard: unknown[] = [];
  await outbox.collect(async (answered) => {
    heard.push(...answered.map(({ item, outcome }) => [item.id, outcome.outcome]));
  });
  return heard;
}

describe("the outbox", () => {
  it("keeps what it was given until a later page sends it, under its id as the Idempotency-Key", async () => {
    await tab(accepting).outbox.put(clip(1));
    const { outbox, sent } = tab(accepting);
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent).toEqual([{ method: "POST", path: "/clip", body: clip(1).payload, idempotencyKey: id(1), asUser: 7 }]);
    expect(await drain(tab(accepting).outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent).toHaveLength(1);
  });

  it("stores an item once, however often it is put in", async () => {
    const { outbox, sent } = tab(accepting);
    await Promise.all([outbox.put(clip(1)), outbox.put(clip(1)), tab(accepting).outbox.put(clip(1))]);
    await drain(outbox, session);
    expect(sent).toHaveLength(1);
  });

  it("sends in the order of putting in, even after the clock jumped back", async () => {
    const { outbox, sent } = tab(accepting);
    // UUIDv7 sorts by the clock: an item of an hour before has the smaller id.
    for (const item of [add(9, 5), removal(3, 5, 44), add(1, 5)]) await outbox.put(item);
    await drain(outbox, session);
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id(9), id(3), id(1)]);
  });

  it("holds a subject's later items back behind one that could not go, and no other subject's", async () => {
    const { outbox, sent } = tab(({ idempotencyKey }) => {
      if (idempotencyKey === id(1)) throw refused(503, "unavailable");
      return { id: 1 };
    });
    for (const item of [add(1, 5), add(2, 6), removal(3, 5, 44)]) await outbox.put(item);
    expect(await drain(outbox, session)).toEqual({ left: 2, retry_after_ms: null });
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id(1), id(2)]);
  });

  it("sends only under the item's own user's key, and does not call another's left over", async () => {
    const { outbox, sent } = tab(accepting, { user: 8 });
    await outbox.put(add(1, 5, 7));
    await outbox.put(add(2, 5, 8));
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent.map(({ asUser }) => asUser)).toEqual([8]);
    const back = tab(accepting, { user: 7 });
    await drain(back.outbox, session);
    expect(back.sent.map(({ asUser }) => asUser)).toEqual([7]);
  });

  it("keeps what a lost key or a login elsewhere held up", async () => {
    for (const failure of [refused(401, "logged_out"), new PortError({ code: "wrong_user", message: "" })]) {
      const { outbox } = tab(() => {
        throw failure;
      });
      await outbox.put(add(1, 5));
      expect(await drain(outbox, session)).toEqual({ left: 1, retry_after_ms: null });
      expect(await collected(outbox)).toEqual([]);
    }
  });

  it("stops at once without a network, and tells how long the server wants to be left alone", async () => {
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

  it("tells the site what became of each item, again and again until it was durably heard", async () => {
    const { outbox } = tab(({ idempotencyKey }) => {
      if (idempotencyKey === id(2)) throw refused(400, "not_allowed");
      return { id: 44 };
    });
    await outbox.put(add(1, 5));
    await outbox.put(add(2, 6));
    await drain(outbox, session);
    const crash = new Error("the tab was killed");
    await expect(outbox.collect(() => Promise.reject(crash))).rejects.toBe(crash);
    const heard = [
      [id(1), "done"],
      [id(2), "dead"],
    ];
    const next = tab(accepting);
    expect(await collected(next.outbox)).toEqual(heard);
    expect(await collected(next.outbox)).toEqual([]);
  });

  it("drains in one tab at a time: two that drain together send each item once", async () => {
    const [one, other] = [tab(accepting), tab(accepting)];
    for (let n = 1; n <= 5; n++) await one.outbox.put(add(n, n));
    await Promise.all([drain(one.outbox, session), drain(other.outbox, session)]);
    expect([...one.sent, ...other.sent]).toHaveLength(5);
  });

  it("looks up the id of a favourite that was marked and unmarked offline, and takes a missing one for removed", async () => {
    const known = [{ id: 44, favoritable_id: 5, favoritable_type: "participant" }];
    const { outbox, sent } = tab(({ path }) => {
      if (path === "/favorite/44") throw refused(404, "not_found");
      return path === "/favorites" ? known : { ok: true };
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
});

describe("analytics", () => {
  it("that get no answer hold up nothing that the viewer sees", async () => {
    const { outbox } = tab((request) =>
      request.path === "/datalake/batch" ? (new Promise(() => undefined) as never) : { id: 1 },
    );
    await outbox.put(seen(1));
    void outbox.drainAnalytics(session);
    await outbox.put(add(2, 5));
    expect(await outbox.drain()).toEqual({ left: 0, retry_after_ms: null });
    expect(await collected(outbox)).toEqual([[id(2), "done"]]);
  });

  it("leave in one batch, with the person added as it is sent and never stored", async () => {
    const { outbox, sent } = tab(accepting);
    await outbox.put(seen(1, { event: "visit" }));
    await outbox.put(seen(2, { event: "page_view" }, 7));
    await outbox.put(seen(3, { event: "page_view" }, 8));
    await drain(outbox, session);
    const time = new Date(at).toISOString();
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/datalake/batch",
        fromOrigin: true,
        public: true,
        repeatable: true,
        body: {
          sent_at: time,
          events: [
            { id: id(1), path: "/datalake/event/", at: time, body: { event: "visit", ...sender } },
            {
              id: id(2),
              path: "/datalake/event/",
              at: time,
              body: { event: "page_view", ...sender, user_id: 7, user_email: "vera@example.test" },
            },
            { id: id(3), path: "/datalake/event/", at: time, body: { event: "page_view", ...sender, user_id: 8 } },
          ],
        },
      },
    ]);
  });

  it("wait without a session, and get the one that they are sent in", async () => {
    const { outbox, sent } = tab(accepting);
    await outbox.put(seen(1));
    await outbox.put({ ...seen(2), payload: { path: "/datalake/session/", body: { platform: "web" } } } as OutboxItem);
    expect(await drain(outbox, null)).toEqual({ left: 2, retry_after_ms: null });
    outbox.pageHidden(() => expect.unreachable());
    await drain(outbox, { profile: "p1", session: "later" });
    const bodies = sent.flatMap(({ body }) => (body as unknown as { events: { body: object }[] }).events);
    expect(bodies.map(({ body }) => body)).toEqual([
      { event: "page_view", profile: "p1", session_uuid: "later" },
      { platform: "web", profile: "p1", session: "later" },
    ]);
  });

  it("are sent by the service worker in the session that a page drained in last", async () => {
    const page = tab(() => {
      throw network();
    });
    await page.outbox.put(seen(1));
    await drain(page.outbox, session);
    const worker = tab(accepting);
    expect(await worker.outbox.drainAsRemembered()).toBe(0);
    expect(worker.sent.map(eventIds)).toEqual([[id(1)]]);
  });

  it("are dropped when the viewer refuses to be recorded, and nothing else is", async () => {
    const { outbox, sent } = tab(accepting);
    await drain(outbox, session);
    await outbox.put(seen(1));
    await outbox.put(clip(2));
    await outbox.forget("analytics");
    outbox.pageHidden(() => expect.unreachable());
    await drain(outbox, session);
    expect(sent.map(({ path }) => path)).toEqual(["/clip"]);
  });

  it("stay when the worker asks for them again, and go when it has them or never will take them", async () => {
    const outcomes = ["accepted", "duplicate", "rejected", "retry"];
    const { outbox } = tab(() => ({ results: outcomes.map((outcome, n) => ({ id: id(n), outcome })) }));
    for (let n = 0; n < 4; n++) await outbox.put(seen(n));
    expect(await drain(outbox, session)).toMatchObject({ left: 1 });
    const next = tab(accepting);
    await drain(next.outbox, session);
    expect(next.sent.map(eventIds)).toEqual([[id(3)]]);
  });

  it("are not asked about for ever by a worker that answers for none of them", async () => {
    const { outbox, sent } = tab(() => ({ results: [] }));
    await outbox.put(seen(1));
    expect(await drain(outbox, session)).toMatchObject({ left: 1 });
    expect(sent).toHaveLength(1);
  });

  it("fit each request into what may outlive a page", async () => {
    const { outbox, sent } = tab(accepting);
    for (let n = 0; n < 40; n++) await outbox.put(seen(n, { event: "é".repeat(1500) }));
    await drain(outbox, session);
    expect(sent.length).toBeGreaterThan(1);
    for (const { body } of sent) expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(KEPT_BYTES);
    expect(sent.flatMap(eventIds)).toEqual(Array.from({ length: 40 }, (_, n) => id(n)));
  });

  it("fit into what may outlive a page in all that it sends off, as it is hidden and as it is left", async () => {
    const { outbox } = tab(accepting, { identity: session });
    for (let n = 0; n < 60; n++) await outbox.put(seen(n, { event: "é".repeat(1500) }));
    const bytes: number[] = [];
    const silence = (sent: number) => {
      bytes.push(sent);
      return new Promise<void>(() => undefined);
    };
    expect(hide(outbox, silence).sent).not.toEqual([]);
    expect(hide(outbox, silence).sent).toEqual([]);
    await outbox.put(seen(60));
    expect(hide(outbox, silence).sent).toEqual([id(60)]);
    expect(bytes[0]).toBeGreaterThan(KEPT_BYTES / 2);
    expect(bytes.reduce((sum, sent) => sum + sent, 0)).toBeLessThan(KEPT_BYTES);
  });

  it("give up the one event that makes a worker refuse the whole batch, and no other", async () => {
    const taken: string[] = [];
    const { outbox } = tab((request) => {
      const ids = eventIds(request);
      if (ids.includes(id(3))) throw refused(400, "malformed");
      taken.push(...ids);
      return accepting(request);
    });
    for (let n = 0; n < 7; n++) await outbox.put(seen(n));
    expect(await drain(outbox, session)).toMatchObject({ left: 0 });
    expect(taken.sort()).toEqual([0, 1, 2, 4, 5, 6].map(id));
  });

  it("are recorded on localhost, the last thousand of them, and never sent (ANA-3)", async () => {
    const { outbox, sent } = tab(accepting, { sendsAnalytics: false });
    for (let n = 0; n <= MOST_UNSENT_ANALYTICS; n++) await outbox.put(seen(n));
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    outbox.pageHidden(() => expect.unreachable());
    expect(sent).toEqual([]);
    const later = tab(accepting);
    await drain(later.outbox, session);
    const ids = later.sent.flatMap(eventIds);
    expect([ids.length, ids[0]]).toEqual([MOST_UNSENT_ANALYTICS, id(1)]);
  }, 60_000);

  it("that were not sent yet leave with the page, at once", async () => {
    const { outbox } = tab(accepting);
    await outbox.put(seen(1));
    await drain(outbox, session);
    await outbox.put(seen(2));
    const left: [string, unknown][] = [];
    outbox.pageHidden(async (url, body) => {
      left.push([url, JSON.parse(body).events.map((event: { id: string }) => event.id)]);
    });
    expect(left).toEqual([["/datalake/batch", [id(2)]]]);
  });

  it("that are recorded as the page goes away are stored and sent at once, before the usual writes are done", async () => {
    const left = new Map<string, unknown>();
    const leave = (entries: ReadonlyMap<string, unknown>) => entries.forEach((value, key) => left.set(key, value));
    // A page that is gone: none of its writes ends any more.
    const gone = Object.assign(Object.create(store) as OrderedStore, { leave });
    const { outbox } = tab(accepting, { store: gone });
    await drain(outbox, session);
    gone.keys = () => new Promise(() => undefined);
    void outbox.put(seen(1));
    void outbox.put(clip(2));
    const { sent, last } = hide(outbox);
    expect([...left.values()]).toEqual([seen(1)]);
    expect(last).toEqual([seen(1)]);
    expect(sent).toEqual([id(1)]);
    for (const [key, value] of left) await store.setItem(key, value);
    // Its locks went with it.
    const next = tab(accepting, { lock: locks() });
    await next.outbox.put(seen(3));
    await drain(next.outbox, session);
    expect(next.sent.flatMap(eventIds).sort()).toEqual([id(1), id(3)]);
  });

  it("leave at once with a page that has sent nothing yet, in the session that another page sent in last", async () => {
    await drain(tab(accepting).outbox, session);
    const { outbox } = tab(accepting, { identity: await recallIdentity(store) });
    await outbox.put(seen(1));
    const bodies: object[] = [];
    outbox.pageHidden(async (_, body) => void bodies.push(...JSON.parse(body).events));
    expect(bodies).toMatchObject([{ id: id(1), body: sender }]);
  });

  it("that a page stored as it seemed to go away are not stored twice when it stays", async () => {
    const writes: Promise<unknown>[] = [];
    const leave = (entries: ReadonlyMap<string, unknown>) =>
      entries.forEach((value, key) => writes.push(store.setItem(key, value)));
    const { outbox, sent } = tab(accepting, { store: Object.assign(store, { leave }) });
    await drain(outbox, session);
    const put = outbox.put(seen(1));
    outbox.pageHidden(async () => undefined);
    await Promise.all([put, ...writes]);
    expect(writes).toHaveLength(1);
    await drain(outbox, session);
    expect(sent.flatMap(eventIds)).toEqual([id(1)]);
  });

  it("of a site on localhost are stored by a page that goes away, and not sent", async () => {
    const left: unknown[] = [];
    const leave = (entries: ReadonlyMap<string, unknown>) => left.push(...entries.values());
    const { outbox } = tab(accepting, { store: Object.assign(store, { leave }), sendsAnalytics: false });
    await drain(outbox, session);
    const put = outbox.put(seen(1));
    outbox.pageHidden(() => expect.unreachable());
    expect(left).toEqual([seen(1)]);
    await put;
  });

  describe("of a tab that does not send, as it goes away", () => {
    it("are not those that another tab has sent, and leave in the session that it sends in", async () => {
      const [sending, other] = [tab(accepting), tab(accepting)];
      for (let n = 1; n <= 3; n++) await other.outbox.put(seen(n));
      expect(hide(other.outbox).sent).toEqual([]);
      await drain(sending.outbox, session);
      await other.outbox.put(seen(4));
      expect(hide(other.outbox).sent).toEqual([id(4)]);
    });

    it("are none that the service worker has sent", async () => {
      await drain(tab(accepting).outbox, session);
      const page = tab(accepting, { identity: session });
      await page.outbox.put(seen(1));
      expect(await tab(accepting).outbox.drainAsRemembered()).toBe(0);
      expect(hide(page.outbox).sent).toEqual([]);
    });

    it("are none that another tab sends before this one hears that it is stored", async () => {
      const slow = Object.assign(Object.create(store) as OrderedStore, {
        async setItem(key: string, value: unknown) {
          await store.setItem(key, value);
          if (key.startsWith("waiting/")) await drain(tab(accepting).outbox, session);
          return value;
        },
      });
      const { outbox } = tab(accepting, { store: slow });
      await outbox.put(seen(1));
      expect(hide(outbox).sent).toEqual([]);
    });

    it("are none once the viewer refused to be recorded in another", async () => {
      const [sending, other] = [tab(accepting), tab(accepting)];
      await drain(sending.outbox, session);
      await other.outbox.put(seen(1));
      await sending.outbox.forget("analytics");
      expect(hide(other.outbox).sent).toEqual([]);
      // Until they agree again.
      await drain(sending.outbox, { profile: "p2", session: "s2" });
      await other.outbox.put(seen(2));
      expect(hide(other.outbox).sent).toEqual([id(2)]);
    });

    it("are the newest that fit, in their order, each once, unless that request failed", async () => {
      const { outbox } = tab(accepting, { identity: session });
      for (let n = 0; n < 90; n++) await outbox.put(seen(n, { event: "é".repeat(900) }));
      const refusing = async () => {
        throw new TypeError("Failed to fetch");
      };
      const first = hide(outbox, refusing).sent;
      expect(first.length).toBeGreaterThan(20);
      expect(first).toEqual(Array.from({ length: first.length }, (_, n) => id(90 - first.length + n)));
      await new Promise((resolve) => setImmediate(resolve));
      expect(hide(outbox).sent).toEqual(first);
      await new Promise((resolve) => setImmediate(resolve));
      const next = hide(outbox).sent;
      expect(next).toContain(id(90 - first.length - 1));
      expect(next).not.toContain(first[0]);
    });
  });

  it("are not sent on after a refusal, by a tab that is in the middle of sending", async () => {
    let refuse: () => Promise<void> = async () => undefined;
    let refusal: Promise<void> | null = null;
    const { outbox, sent } = tab((request) => {
      refusal = refuse();
      return accepting(request);
    });
    refuse = () => tab(accepting).outbox.forget("analytics");
    for (let n = 0; n < 40; n++) await outbox.put(seen(n, { event: "é".repeat(1500) }));
    await drain(outbox, session);
    await refusal;
    expect(sent).toHaveLength(1);
    expect(await recallIdentity(store)).toBeNull();
    expect(await drain(outbox, session)).toMatchObject({ left: 0 });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["localhost", false],
    ["laurentides.localhost", false],
    ["127.0.0.1", false],
    ["127.8.9.1", false],
    ["[::1]", false],
    ["localhost.example", true],
    ["127.0.0.1.example", true],
    ["northfield.example", true],
  ])("of %s are sent: %s", (hostname, sends) => {
    expect(sendsAnalyticsFrom(hostname, false)).toBe(sends);
    expect(sendsAnalyticsFrom(hostname, true)).toBe(true);
  });
});
