import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it } from "vitest";
import { recallIdentity } from "./index";
import {
  accepting,
  add,
  at,
  clip,
  collected,
  eventIds,
  full,
  id,
  openBrowser,
  refused,
  seen,
  session,
} from "./testing/browser";

let { tab, store } = openBrowser();
beforeEach(() => {
  ({ tab, store } = openBrowser());
});

/** A browser with a full disk after these items were stored. */
async function fullWith(...items: ReturnType<typeof clip>[]) {
  for (const item of items) await tab(accepting).outbox.put(item);
  return full(store);
}

describe("on a full disk", () => {
  it("analytics are sent, which frees space", async () => {
    const { outbox, sent } = tab(accepting, { store: await fullWith(seen(1), seen(2)) });
    expect(await outbox.drainAnalytics(session)).toEqual({ left: 0, retry_after_ms: null });
    expect(sent.map(eventIds)).toEqual([[id(1), id(2)]]);
  });

  it("items behind one whose outcome couldn't be stored are sent too, and all are reported as left", async () => {
    const items = [add(1, 5), add(2, 6), clip(3)];
    const { outbox, sent } = tab(
      ({ idempotencyKey }) => {
        if (idempotencyKey === id(2)) throw refused(400, "not_allowed");
        return { id: 1 };
      },
      { store: await fullWith(...items) },
    );
    expect(await outbox.drain()).toEqual({ left: 3, retry_after_ms: null });
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id(1), id(2), id(3)]);
    // Once there is space the same ids are sent again, and the site learns their outcome.
    const later = tab(accepting);
    expect(await later.outbox.drain()).toEqual({ left: 0, retry_after_ms: null });
    expect(await collected(later.outbox)).toEqual([1, 2, 3].map((n) => [id(n), "done"]));
  });

  it("a later item of the same subject waits for the one before it", async () => {
    const { outbox, sent } = tab(accepting, { store: await fullWith(add(1, 5), add(2, 5)) });
    expect(await outbox.drain()).toEqual({ left: 2, retry_after_ms: null });
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id(1)]);
  });

  it("a wait requested by the server is announced, and observed by the tab that received it", async () => {
    let time = at;
    const busy = () => {
      throw refused(429, "busy", { retry_after_ms: 9000 });
    };
    const { outbox, sent } = tab(busy, { store: await fullWith(add(1, 5), seen(2)), now: () => time });
    for (let n = 0; n < 2; n++) {
      expect(await outbox.drain()).toEqual({ left: 1, retry_after_ms: 9000 });
      expect(await outbox.drainAnalytics(session)).toEqual({ left: 1, retry_after_ms: 9000 });
    }
    expect(sent).toHaveLength(2);
    time += 9000;
    await outbox.drain();
    expect(sent).toHaveLength(3);
  });

  it("a refusal to be recorded takes effect, also in the service worker (ANA-7)", async () => {
    await tab(accepting).outbox.drainAnalytics(session);
    const { outbox } = tab(accepting, { store: await fullWith(seen(1)) });
    await outbox.forgetAnalytics();
    expect(await recallIdentity(store)).toBeNull();
    const worker = tab(accepting);
    expect(await worker.outbox.drainAsRemembered()).toBe(0);
    expect(worker.sent).toEqual([]);
  });
});
