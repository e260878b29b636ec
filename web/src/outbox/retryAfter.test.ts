import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_RETRY_AFTER } from "../contracts/outbox";
import { accepting, add, at, clip, hide, id, openBrowser, refused, seen, session } from "./testing/browser";

const WAIT = 90_000;

/** The browser's clock. */
let time = at;
const now = () => time;
let { tab } = openBrowser();
beforeEach(() => {
  ({ tab } = openBrowser());
  time = at;
});

/** A page whose server requested a wait, with one item of each kind left to send. */
async function throttledPage(status: number, wait = WAIT) {
  const page = tab(
    () => {
      throw refused(status, "busy", { retry_after_ms: wait });
    },
    { now },
  );
  await page.outbox.put(add(1, 5));
  await page.outbox.put(seen(2));
  await page.outbox.drain();
  await page.outbox.drainAnalytics(session);
  return page;
}

describe.each([429, 503])("a wait requested by the server with %i", (status) => {
  it("is observed by the next drain in any tab, and ends on time", async () => {
    await throttledPage(status);
    const worker = tab(accepting, { now });
    time += WAIT - 1;
    expect(await worker.outbox.drainAsRemembered()).toBe(2);
    expect(await worker.outbox.drain()).toEqual({ left: 1, retry_after_ms: 1 });
    expect(await worker.outbox.drainAnalytics(session)).toEqual({ left: 1, retry_after_ms: 1 });
    expect(worker.sent).toEqual([]);
    time += 1;
    expect(await worker.outbox.drainAsRemembered()).toBe(0);
    expect(worker.sent.map(({ path }) => path)).toEqual(["/favorite", "/datalake/batch"]);
  });

  it("ends the round: the next item would fail too", async () => {
    const { outbox, sent } = await throttledPage(status);
    time += WAIT;
    await outbox.put(clip(3));
    const before = sent.length;
    expect(await outbox.drain()).toEqual({ left: 2, retry_after_ms: WAIT });
    expect(sent.length - before).toBe(1);
  });
});

it("a wait of analytics doesn't block favourites and clips", async () => {
  const page = tab(
    (request) => {
      if (request.path === "/datalake/batch") throw refused(429, "full", { retry_after_ms: WAIT });
      return accepting(request);
    },
    { now },
  );
  await page.outbox.put(seen(1));
  await page.outbox.drainAnalytics(session);
  await page.outbox.put(add(2, 5));
  expect(await page.outbox.drain()).toEqual({ left: 0, retry_after_ms: null });
});

it("a closing page sends nothing during it, whichever page received it", async () => {
  const other = tab(accepting, { now });
  await other.outbox.drainAnalytics(session);
  const page = await throttledPage(429);
  const addition = other.outbox.put(seen(3));
  expect(hide(other.outbox).sent).toEqual([]);
  expect(hide(page.outbox).sent).toEqual([]);
  await addition;
  time += WAIT;
  expect(hide(other.outbox).sent).toEqual([id(3)]);
});

it("a clock that is set back prolongs it at most to the longest granted wait", async () => {
  await throttledPage(429, MAX_RETRY_AFTER);
  time -= 1;
  const { outbox, sent } = tab(accepting, { now });
  expect(await outbox.drain()).toEqual({ left: 0, retry_after_ms: null });
  expect(sent).toHaveLength(1);
});
