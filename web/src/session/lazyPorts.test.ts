// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import type { OutboxItem } from "../contracts/outbox";
import type { Outbox } from "../outbox";
import { lazyOutbox } from "./lazyPorts";

const event = (id: string): OutboxItem => ({
  id,
  kind: "analytics",
  at: 1,
  payload: { path: "/datalake/event/", body: { event: "visit" } },
});

describe("an outbox whose code isn't loaded yet", () => {
  it("loses no events of a page that closes first: they are stored at once, without it", async () => {
    const stored: string[] = [];
    const closedOutbox = lazyOutbox(
      () => new Promise(() => undefined),
      async ({ id }) => stored.push(id),
    );
    await closedOutbox.put(event("a"));
    void closedOutbox.put(event("b"));
    closedOutbox.pageHidden(async () => undefined);
    expect(stored).toEqual(["a", "b"]);
  });

  it("reports a failure to store them", async () => {
    const full = () => Promise.reject(new Error("full"));
    await expect(lazyOutbox(() => new Promise(() => undefined), full).put(event("a"))).rejects.toThrow("full");
  });

  it("delays the viewer's requests, and takes everything once it is loaded", async () => {
    const put = vi.fn(async (_: OutboxItem) => undefined);
    const outbox = { put, drain: async () => ({ left: 0, retry_after_ms: null }) } as unknown as Outbox;
    const early = vi.fn(async () => undefined);
    const late = lazyOutbox(async () => outbox, early);
    const heart = { ...event("h"), kind: "favourite.remove" } as unknown as OutboxItem;
    await late.put(heart);
    await late.put(event("a"));
    expect(put.mock.calls).toEqual([[heart], [event("a")]]);
    expect(early).not.toHaveBeenCalled();
  });
});
