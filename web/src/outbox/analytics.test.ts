import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { OutboxItem } from "../contracts/outbox";
import { recallIdentity, sendsAnalyticsFrom } from "./index";
import { MAX_UNSENT_ANALYTICS, type OutboxStore } from "./queue";
import {
  accepting,
  add,
  at,
  clip,
  collected,
  drain,
  eventIds,
  hide,
  id,
  KEEPALIVE_BYTES,
  network,
  openBrowser,
  over,
  refused,
  seen,
  sender,
  session,
} from "./testing/browser";

const bodiesOf = (sent: readonly { body?: unknown }[]) =>
  sent.flatMap(({ body }) => (body as { events: { body: object }[] }).events).map(({ body }) => body);

let { tab, store } = openBrowser();
beforeEach(() => {
  ({ tab, store } = openBrowser());
});

describe("analytics", () => {
  it("that are being stored during a discard are discarded too (ANA-7)", async () => {
    const { outbox } = tab(accepting);
    await outbox.put(seen(1));
    const late = tab(accepting).outbox.put(seen(2));
    await outbox.forgetAnalytics();
    await late;
    expect(await outbox.drainAnalytics(null)).toMatchObject({ left: 0 });
  });

  it("without an answer don't block favourites and clips", async () => {
    const { outbox } = tab((request) =>
      request.path === "/datalake/batch" ? (new Promise(() => undefined) as never) : { id: 1 },
    );
    await outbox.put(seen(1));
    void outbox.drainAnalytics(session);
    await outbox.put(add(2, 5));
    expect(await outbox.drain()).toEqual({ left: 0, retry_after_ms: null });
    expect(await collected(outbox)).toEqual([[id(2), "done"]]);
  });

  it("leave in one batch, with the person added on sending and never stored", async () => {
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
        fits: expect.any(Function),
        signal: expect.any(AbortSignal),
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

  it("recorded without a session wait, and get the session in which they are sent", async () => {
    const { outbox, sent } = tab(accepting);
    await outbox.put(seen(1));
    expect(await drain(outbox, null)).toEqual({ left: 1, retry_after_ms: null });
    outbox.pageHidden(() => expect.unreachable());
    await drain(outbox, { ...session, session: "later" });
    expect(bodiesOf(sent)).toEqual([{ event: "page_view", profile: "p1", session_uuid: "later" }]);
  });

  it("that are read from the store during a refusal aren't sent (ANA-7)", async () => {
    for (let turns = 0; turns < 30; turns++) {
      ({ tab, store } = openBrowser());
      const signals: (AbortSignal | undefined)[] = [];
      const { outbox } = tab(({ signal }) => {
        signals.push(signal);
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      });
      await outbox.put(seen(1));
      void outbox.drainAnalytics(session);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      await outbox.forgetAnalytics();
      expect(
        signals.every((signal) => signal?.aborted),
        `after ${turns} turns`,
      ).toBe(true);
    }
  });

  it("that only count go without a session or a person, and outlast a refusal (ANA-14)", async () => {
    const { outbox, sent } = tab(accepting);
    const count = (n: number): OutboxItem =>
      ({ ...seen(n), payload: { path: "/datalake/count/", body: { event: "searched" } } }) as OutboxItem;
    await outbox.put(seen(1));
    await outbox.put(count(2));
    await outbox.forgetAnalytics();
    expect(await drain(outbox, null)).toEqual({ left: 0, retry_after_ms: null });
    await outbox.put(count(3));
    await outbox.put(seen(4, { event: "visit" }));
    await drain(outbox, session);
    expect(bodiesOf(sent)).toEqual([{ event: "searched" }, { event: "visit", ...sender }, { event: "searched" }]);
    expect(sent.flatMap(eventIds)).toEqual([id(2), id(4), id(3)]);
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent).toHaveLength(2);
  });

  it("stay in their session, whichever they are sent in (ANA-11)", async () => {
    const { outbox, sent } = tab(accepting);
    const opened = { profile: "p1", session: "s2", platform: "web" };
    await outbox.put({ ...seen(1), payload: { path: "/datalake/session/", body: opened } } as OutboxItem);
    await outbox.put(seen(2, { event: "visit", profile: "p1", session_uuid: "s2" }));
    await outbox.put(seen(3, { event: "visit" }));
    await drain(outbox, session);
    expect(bodiesOf(sent)).toEqual([
      opened,
      { event: "visit", profile: "p1", session_uuid: "s2" },
      { event: "visit", ...sender },
    ]);
  });

  describe("in an expired session", () => {
    const over = { ...session, expires_at: at };
    const recorded = { event: "visit", ...sender };

    it("are sent if they were recorded in it, and wait for the next one if not", async () => {
      const { outbox, sent } = tab(accepting);
      await outbox.put(seen(1));
      await outbox.put(seen(2, recorded));
      expect(await drain(outbox, over)).toEqual({ left: 1, retry_after_ms: null });
      expect(bodiesOf(sent)).toEqual([recorded]);
      await drain(outbox, { ...session, session: "s2" });
      expect(bodiesOf(sent).slice(1)).toEqual([{ event: "page_view", profile: "p1", session_uuid: "s2" }]);
    });

    it("are sent in it neither by a closing page nor by the service worker", async () => {
      await drain(tab(accepting).outbox, over);
      const page = tab(accepting, { identity: await recallIdentity(store) });
      await page.outbox.put(seen(1));
      await page.outbox.put(seen(2, recorded));
      expect(hide(page.outbox).sent).toEqual([id(2)]);
      const worker = tab(accepting);
      expect(await worker.outbox.drainAsRemembered()).toBe(1);
      expect(worker.sent.map(eventIds)).toEqual([[id(2)]]);
    });

    it("wait if an older build stored a session without its expiry", async () => {
      await store.setItem("analytics-identity", { profile: "p1", session: "s1" });
      const worker = tab(accepting);
      await worker.outbox.put(seen(1));
      expect(await worker.outbox.drainAsRemembered()).toBe(1);
      expect(worker.sent).toEqual([]);
    });
  });

  it("are sent by the service worker in the session of the last page's drain", async () => {
    const page = tab(() => {
      throw network();
    });
    await page.outbox.put(seen(1));
    await drain(page.outbox, session);
    const worker = tab(accepting);
    expect(await worker.outbox.drainAsRemembered()).toBe(0);
    expect(worker.sent.map(eventIds)).toEqual([[id(1)]]);
  });

  it("are discarded when the viewer refuses recording, and nothing else is", async () => {
    const { outbox, sent } = tab(accepting);
    await drain(outbox, session);
    await outbox.put(seen(1));
    await outbox.put(clip(2));
    await outbox.forgetAnalytics();
    outbox.pageHidden(() => expect.unreachable());
    await drain(outbox, session);
    expect(sent.map(({ path }) => path)).toEqual(["/clip"]);
  });

  it("aren't sent again once the viewer refuses during sending, in whichever tab", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const { outbox } = tab(({ signal }) => {
      signals.push(signal);
      return new Promise((_, cut) => signal?.addEventListener("abort", () => cut(signal.reason)));
    });
    await outbox.put(seen(1));
    const draining = drain(outbox, session);
    await vi.waitFor(() => expect(signals).toHaveLength(1), { timeout: 60_000 });
    await tab(accepting).outbox.forgetAnalytics();
    expect(await draining).toEqual({ left: 0, retry_after_ms: null });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("stay when the worker requests them again, and go once it accepts or finally refuses them", async () => {
    const outcomes = ["accepted", "duplicate", "rejected", "retry"];
    const { outbox } = tab(() => ({ results: outcomes.map((outcome, n) => ({ id: id(n), outcome })) }));
    for (let n = 0; n < 4; n++) await outbox.put(seen(n));
    expect(await drain(outbox, session)).toMatchObject({ left: 1 });
    const next = tab(accepting);
    await drain(next.outbox, session);
    expect(next.sent.map(eventIds)).toEqual([[id(3)]]);
  });

  it("aren't resent forever to a worker that answers for none of them", async () => {
    const { outbox, sent } = tab(() => ({ results: [] }));
    await outbox.put(seen(1));
    expect(await drain(outbox, session)).toMatchObject({ left: 1 });
    expect(sent).toHaveLength(1);
  });

  it("fit each request into the limit of requests that outlive a page", async () => {
    const { outbox, sent } = tab(accepting);
    for (let n = 0; n < 40; n++) await outbox.put(seen(n, { event: "é".repeat(1500) }));
    await drain(outbox, session);
    expect(sent.length).toBeGreaterThan(1);
    for (const { body } of sent) expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(KEEPALIVE_BYTES);
    expect(sent.flatMap(eventIds)).toEqual(Array.from({ length: 40 }, (_, n) => id(n)));
  });

  it("fit that limit in total, when the page is hidden and when it is left", async () => {
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
    expect(bytes[0]).toBeGreaterThan(KEEPALIVE_BYTES / 2);
    expect(bytes.reduce((sum, sent) => sum + sent, 0)).toBeLessThan(KEEPALIVE_BYTES);
  });

  it("lose only the one event that makes a worker refuse the whole batch", async () => {
    const accepted: string[] = [];
    const { outbox } = tab((request) => {
      const ids = eventIds(request);
      if (ids.includes(id(3))) throw refused(400, "malformed");
      accepted.push(...ids);
      return accepting(request);
    });
    for (let n = 0; n < 7; n++) await outbox.put(seen(n));
    expect(await drain(outbox, session)).toMatchObject({ left: 0 });
    expect(accepted.sort()).toEqual([0, 1, 2, 4, 5, 6].map(id));
  });

  it("are recorded on localhost, the last thousand of them, and never sent (ANA-3)", async () => {
    const { outbox, sent } = tab(accepting, { sendsAnalytics: false });
    for (let n = 0; n <= MAX_UNSENT_ANALYTICS; n++) await outbox.put(seen(n));
    expect(await drain(outbox, session)).toEqual({ left: 0, retry_after_ms: null });
    outbox.pageHidden(() => expect.unreachable());
    expect(sent).toEqual([]);
    const later = tab(accepting);
    await drain(later.outbox, session);
    const ids = later.sent.flatMap(eventIds);
    expect([ids.length, ids[0]]).toEqual([MAX_UNSENT_ANALYTICS, id(1)]);
  }, 60_000);

  it("that are still unsent are sent at once as the page closes", async () => {
    const { outbox } = tab(accepting);
    await outbox.put(seen(1));
    await drain(outbox, session);
    await outbox.put(seen(2));
    const counts: [string, unknown][] = [];
    outbox.pageHidden(async (url, body) => {
      counts.push([url, JSON.parse(body).events.map((event: { id: string }) => event.id)]);
    });
    expect(counts).toEqual([["/datalake/batch", [id(2)]]]);
  });

  it("recorded as the page closes are stored and sent at once", async () => {
    const { outbox } = tab(accepting, { identity: session });
    await outbox.put(seen(1));
    const commit = vi.spyOn(IDBTransaction.prototype, "commit");
    void outbox.put(seen(2));
    const committed = commit.mock.calls.length;
    commit.mockRestore();
    // A closing page gets no further callback: the one transaction was started and committed in the same turn.
    expect(committed).toBe(1);
    expect(hide(outbox).sent).toEqual([id(1), id(2)]);
    const next = tab(accepting);
    await drain(next.outbox, session);
    expect(next.sent.flatMap(eventIds)).toEqual([id(1), id(2)]);
  });

  it("are sent at once by a closing page that has sent nothing yet, in another page's last session", async () => {
    await drain(tab(accepting).outbox, session);
    const { outbox } = tab(accepting, { identity: await recallIdentity(store) });
    await outbox.put(seen(1));
    const bodies: object[] = [];
    outbox.pageHidden(async (_, body) => void bodies.push(...JSON.parse(body).events));
    expect(bodies).toMatchObject([{ id: id(1), body: sender }]);
  });

  describe("sent by a closing tab that isn't the leader", () => {
    it("exclude those that another tab has sent, and use the session in which it sends", async () => {
      const [sending, other] = [tab(accepting), tab(accepting)];
      for (let n = 1; n <= 3; n++) await other.outbox.put(seen(n));
      expect(hide(other.outbox).sent).toEqual([]);
      await drain(sending.outbox, session);
      await other.outbox.put(seen(4));
      expect(hide(other.outbox).sent).toEqual([id(4)]);
    });

    it("exclude those that the service worker has sent", async () => {
      await drain(tab(accepting).outbox, session);
      const page = tab(accepting, { identity: session });
      await page.outbox.put(seen(1));
      expect(await tab(accepting).outbox.drainAsRemembered()).toBe(0);
      expect(hide(page.outbox).sent).toEqual([]);
    });

    it("exclude those that another tab sends before this one learns that they are stored", async () => {
      const slow: OutboxStore = {
        ...over(store),
        async setItem(key, value) {
          await store.setItem(key, value);
          if (key.startsWith("analytics/")) await drain(tab(accepting).outbox, session);
          return value;
        },
      };
      const { outbox } = tab(accepting, { store: slow });
      await outbox.put(seen(1));
      expect(hide(outbox).sent).toEqual([]);
    });

    it("are none once the viewer refused recording in another", async () => {
      const [sending, other] = [tab(accepting), tab(accepting)];
      await drain(sending.outbox, session);
      await other.outbox.put(seen(1));
      await sending.outbox.forgetAnalytics();
      expect(hide(other.outbox).sent).toEqual([]);
      // Until they consent again.
      await drain(sending.outbox, { ...session, profile: "p2", session: "s2" });
      await other.outbox.put(seen(2));
      expect(hide(other.outbox).sent).toEqual([id(2)]);
    });

    it("are the newest that fit, in order, each once, unless that request failed", async () => {
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

  it("end with a refusal, also in a tab that is sending", async () => {
    let refuse: () => Promise<void> = async () => undefined;
    let refusal: Promise<void> | null = null;
    const { outbox, sent } = tab((request) => {
      refusal = refuse();
      return accepting(request);
    });
    refuse = () => tab(accepting).outbox.forgetAnalytics();
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
