import { describe, expect, it } from "vitest";
import type { Purchase } from "../machines/purchase";
import { connectionInputs } from "../slices/connection";
import { preferencesActions } from "../slices/preferences";
import { purchaseActions } from "../slices/purchase";
import { tabActions } from "../slices/tabs";
import { anOrder, paid } from "./testing/resources";
import { keyOf, purchaseChoice, purchaseLeads } from "./testing/stations";
import { asked, hear, others } from "./testing/tabs";
import { away, openViewerWorld, refusing, silence, type TestWorld } from "./testing/world";

// A purchase that its tab no longer drives goes on in another one, under its key, in one of them.

const HOUR = 3_600_000;
const REQUEST = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;
const live = () => ({ epoch: "e", user_seq: 0, channel_seq: 0, mode: "resumed", ping_ms: 9e6 }) as const;

describe("a purchase whose tab is gone", () => {
  const submitted = purchaseActions.submitted({ key: "k1", owner: "b", request: REQUEST });
  const follower = (world: TestWorld, ...ids: string[]): void =>
    world.input("storage", tabActions.identified({ id: "a", holder: false, others: ids }));

  it("goes on where it is shown when the tab that takes over has its own: two were pressed at once (PAY-9)", async () => {
    const world = await openViewerWorld({ "api.buy": refusing(422, "You already bought this event.") });
    follower(world, "b", "c");
    hear(world, submitted);
    await world.pass(60_000);
    expect(world.state().purchase.at, "its tab is there").toBe("submitting");
    others(world, "c");
    for (let told = 0; told < 9; told += 1) {
      hear(world, preferencesActions.kept({ name: "n", value: "v", expires_at: 9e15 }));
      await world.pass(1_000);
    }
    expect(asked(world, "api.buy"), "the other tab may take it on").toBe(0);
    await world.pass(1_000);
    expect(world.state().purchase).toMatchObject({ at: "rejected", message: "You already bought this event." });
    expect(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).toEqual(["k1"]);
    world.expectExpected();
    world.expectReplays();
  });

  it("is left to the tab that took it over in time", async () => {
    const world = await openViewerWorld();
    follower(world, "b", "c");
    hear(world, submitted);
    others(world, "c");
    await world.pass(9_000);
    hear(world, purchaseActions.adopted({ key: "k1", owner: "c" }));
    await world.pass(100_000);
    expect(world.state().purchase).toMatchObject({ at: "submitting", owner: "c" });
    world.expectReplays();
  });

  it("is driven by one of two that took it over at the same moment, the same one in both (PAY-9)", async () => {
    for (const [other, owner] of [
      ["0", "0"],
      ["z", "a"],
    ] as const) {
      const world = await openViewerWorld({ "api.buy": silence });
      follower(world, "b", other);
      hear(world, submitted);
      others(world, other);
      await world.pass(10_000);
      expect(world.state().purchase).toMatchObject({ owner: "a" });
      hear(world, purchaseActions.adopted({ key: "k1", owner: other, from: "b" }));
      await world.pass();
      expect(world.state().purchase).toMatchObject({ at: "submitting", owner });
      hear(world, purchaseActions.adopted({ key: "k1", owner: "x", from: owner }));
      expect(world.state().purchase).toMatchObject({ owner: "x" });
      world.expectExpected();
      world.expectReplays();
    }
  });

  it("goes on by itself in the tab that takes it over, however it was interrupted", async () => {
    const world = await openViewerWorld({ "api.buy": () => paid() });
    world.input("storage", tabActions.identified({ id: "a", holder: true, others: ["b"] }));
    hear(world, submitted, purchaseActions.interrupted({ key: "k1", message: "x" }));
    await world.pass(HOUR);
    expect(world.state().purchase).toMatchObject({ at: "interrupted", owner: "b" });
    others(world);
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    expect(asked(world, "api.buy")).toBe(1);
    world.expectReplays();
  });
});

describe("a purchase of a tab that is there and says nothing of it", () => {
  const submitted = purchaseActions.submitted({ key: "k1", owner: "b", request: REQUEST });
  const follows = (world: TestWorld): void =>
    world.input("storage", tabActions.identified({ id: "a", holder: false, others: ["b"] }));

  it("is asked for again under its key: that tab went on with another one when it was loaded again", async () => {
    const world = await openViewerWorld({ "api.buy": () => paid() });
    follows(world);
    hear(world, submitted);
    await world.pass(119_000);
    expect(asked(world, "api.buy")).toBe(0);
    await world.pass(1_000);
    expect(world.state().purchase.at).toBe("succeeded");
    expect(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).toEqual(["k1"]);
    world.expectReplays();
  });

  it("ends as this page's own stream tells", async () => {
    const world = await openViewerWorld();
    follows(world);
    hear(world, submitted, purchaseActions.accepted({ key: "k1", order_id: 55, version: 1 }));
    const order = anOrder({ id: 55, status: "paid", version: 2 });
    world.input("sync", connectionInputs.statusReceived({ kind: "order", id: 55, state: order, version: 2 } as never));
    await world.pass(9_000);
    expect(world.state().purchase.at, "that tab may tell").toBe("processing");
    await world.pass(1_000);
    expect(world.state().purchase.at).toBe("succeeded");
    world.expectReplays();
  });

  it("is left to it while the bank waits for the viewer there, until they want to answer here", async () => {
    const world = await openViewerWorld({ "payments.confirm": silence });
    follows(world);
    hear(world, submitted, purchaseActions.confirmationAsked({ key: "k1", order_id: 55, version: 1 }));
    await world.pass(HOUR);
    expect(asked(world, "payments.confirm")).toBe(0);
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "confirming", owner: "a" });
    expect(asked(world, "payments.confirm")).toBe(1);
    world.expectReplays();
  });
});

describe("a purchase that this tab drives", () => {
  it("goes on when another one that held it for its own was cut off", async () => {
    const world = await purchaseLeads.processing();
    others(world, "z");
    const key = keyOf(world);
    const { owner } = world.state().purchase as { owner: string };
    hear(
      world,
      purchaseActions.adopted({ key, owner: "z", from: "b" }),
      purchaseActions.interrupted({ key, message: "x" }),
    );
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "processing", owner });
    world.expectReplays();
  });
});

describe("a page that is opened beside the tab that drives", () => {
  it("takes the purchase over under its own name, which it was told after it was opened", async () => {
    const world = await openViewerWorld({ "payments.confirm": silence });
    const order = { orderId: 55, version: 1, confirmed: false };
    const purchase: Purchase = { at: "confirming", key: "k1", owner: "b", user_id: 7, request: REQUEST, ...order };
    await world.reload((state) => ({ ...state, purchase, tabs: { id: "", holder: false, others: [] } }));
    world.input("storage", tabActions.identified({ id: "a", holder: false, others: ["b"] }));
    await world.pass();
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "confirming", owner: "a" });
    world.expectReplays();
  });
});

describe("an order that is waited for while the stream is live", () => {
  const placed = [
    purchaseActions.submitted({ key: "k1", owner: "b", user_id: 7, request: REQUEST }),
    purchaseActions.accepted({ key: "k1", order_id: 55, version: 1 }),
  ] as const;

  it("is watched by the tab that takes it over", async () => {
    const world = await openViewerWorld({ "sync.connect": live });
    world.input("storage", tabActions.identified({ id: "a", holder: true, others: ["b"] }));
    hear(world, ...placed);
    await world.pass();
    expect(world.calls("sync.watch")).toEqual([]);
    others(world);
    await world.pass();
    expect(world.calls("sync.watch")).toEqual([{ kind: "order", id: 55 }]);
    world.expectReplays();
  });

  it("is watched where it goes on after it was interrupted", async () => {
    const world = await openViewerWorld({ "sync.connect": live });
    world.input("storage", tabActions.identified({ id: "a", holder: true, others: ["b"] }));
    hear(world, ...placed, purchaseActions.interrupted({ key: "k1", message: "x" }));
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.calls("sync.watch")).toContainEqual({ kind: "order", id: 55 });
    world.expectReplays();
  });
});

describe("an answer to the bank that is lost", () => {
  it("is asked for again while the stream is live: nothing else would end the wait (PAY-9)", async () => {
    const asking = anOrder({ status: "created", version: 1, next_action: { type: "confirm" } as never });
    const world = await openViewerWorld({ "sync.connect": live, "api.buy": () => asking, "payments.confirm": away });
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass(60_000);
    expect(world.state().purchase.at).toBe("interrupted");
    world.script["payments.confirm"] = silence;
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state()).toMatchObject({ connection: { at: "live" }, purchase: { at: "confirming" } });
    expect(asked(world, "payments.confirm")).toBe(2);
    world.expectReplays();
  });
});

describe("an answer to what was submitted that is lost", () => {
  async function lost(): Promise<TestWorld> {
    const world = await openViewerWorld({ "api.buy": away });
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass(14_000);
    expect(world.state().purchase.at).toBe("interrupted");
    world.script["api.buy"] = () => paid();
    return world;
  }

  it("is asked for again by itself while there is a network: nothing would tell of the order (PAY-9)", async () => {
    const world = await lost();
    await world.pass(1_000);
    expect(world.state().purchase.at).toBe("succeeded");
    expect(new Set(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
    world.expectReplays();
  });

  it("is not asked for without a network, and at once when it is back", async () => {
    const world = await lost();
    world.input("ui", connectionInputs.wentOffline());
    await world.pass(HOUR);
    expect(asked(world, "api.buy")).toBe(1);
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    world.expectReplays();
  });
});

describe("a purchase that ended", () => {
  it("stays on the page that shows it when another one is opened in another tab", async () => {
    const world = await openViewerWorld({ "api.buy": () => paid() });
    others(world, "b");
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass();
    hear(world, purchaseActions.opened());
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    world.ui(purchaseActions.opened());
    expect(world.state().purchase.at).toBe("preparing");
    world.expectReplays();
  });

  it("is interrupted no second time by a tab that held this one for gone", async () => {
    const world = await purchaseLeads.interrupted();
    others(world, "b");
    hear(world, purchaseActions.interrupted({ key: keyOf(world), message: "y" }));
    expect(world.state().purchase).toMatchObject({ at: "interrupted" });
    await world.pass();
    world.expectExpected();
    world.expectReplays();
  });
});
