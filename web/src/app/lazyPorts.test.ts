// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import type { OutboxItem } from "../contracts/outbox";
import type { Outbox } from "../outbox";
import { lazyOutbox } from "./lazyPorts";
import { openSpillover } from "./spillover";

const event = (id: string): OutboxItem => ({
  id,
  kind: "analytics",
  at: 1,
  payload: { path: "/datalake/event/", body: { event: "visit" } },
});

/** An outbox that only notes what it is given. */
function notingOutbox() {
  const stored: string[] = [];
  const outbox = { put: async ({ id }: OutboxItem) => void stored.push(id), pageHidden: () => [] };
  return { stored, outbox: outbox as unknown as Outbox };
}

const send = async () => undefined;

describe("an outbox that has not arrived yet", () => {
  beforeEach(() => localStorage.clear());

  it("loses nothing that a page recorded which went away before", async () => {
    const gone = lazyOutbox(() => new Promise(() => undefined), openSpillover(localStorage));
    void gone.put(event("a"));
    void gone.put(event("b"));
    gone.pageHidden(send);

    const { stored, outbox } = notingOutbox();
    const next = lazyOutbox(async () => outbox, openSpillover(localStorage));
    await next.put(event("c"));
    expect(stored).toEqual(["a", "b", "c"]);
    expect(openSpillover(localStorage).left()).toEqual([]);
  });

  it("leaves behind nothing that was put in", async () => {
    const { outbox } = notingOutbox();
    const late = lazyOutbox(async () => outbox, openSpillover(localStorage));
    await late.put(event("a"));
    late.pageHidden(send);
    expect(openSpillover(localStorage).left()).toEqual([]);
  });

  it("leaves nothing behind of a page that was hidden and then shown again", async () => {
    openSpillover(localStorage).leave(event("earlier"));
    const { stored, outbox } = notingOutbox();
    let store: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (store = resolve));
    const put = async (item: OutboxItem) => {
      if (item.id === "earlier") await slow;
      await outbox.put(item);
    };
    const late = lazyOutbox(async () => ({ ...outbox, put }), openSpillover(localStorage));
    const putting = late.put(event("a"));
    await Promise.resolve();
    // What earlier pages left is being put in when the page is hidden.
    late.pageHidden(send);
    expect(openSpillover(localStorage).left()).toContainEqual(event("a"));
    store();
    await putting;
    expect(stored).toEqual(["earlier", "a"]);
    expect(openSpillover(localStorage).left()).toEqual([]);
  });

  it("keeps what is left until it is stored", async () => {
    openSpillover(localStorage).leave(event("a"));
    const full = { put: () => Promise.reject(new Error("full")), pageHidden: () => [] } as unknown as Outbox;
    const late = lazyOutbox(async () => full, openSpillover(localStorage));
    await late.put(event("b")).catch(() => undefined);
    expect(openSpillover(localStorage).left()).toEqual([event("a")]);
  });

  it("reads past what is no item, and goes on without a storage", () => {
    localStorage.setItem("touchline-left/x", "{");
    localStorage.setItem("touchline-left/y", '{"id": 1}');
    expect(openSpillover(localStorage).left()).toEqual([]);
    openSpillover(null).leave(event("a"));
    expect(openSpillover(null).left()).toEqual([]);
  });
});
