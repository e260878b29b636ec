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

describe("an outbox that has not arrived yet", () => {
  it("loses nothing that a page recorded which went away before: it is stored at once, without it", async () => {
    const stored: string[] = [];
    const gone = lazyOutbox(
      () => new Promise(() => undefined),
      async ({ id }) => stored.push(id),
    );
    await gone.put(event("a"));
    void gone.put(event("b"));
    gone.pageHidden(async () => undefined);
    expect(stored).toEqual(["a", "b"]);
  });

  it("says so where they could not be stored", async () => {
    const full = () => Promise.reject(new Error("full"));
    await expect(lazyOutbox(() => new Promise(() => undefined), full).put(event("a"))).rejects.toThrow("full");
  });

  it("waits with what the viewer asked for, and takes everything once it is here", async () => {
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
