import { describe, expect, it } from "vitest";
import { wrongUser } from "../api/failure";
import type { Purchase } from "../machines/purchase";
import { authActions } from "../slices/auth";
import { connectionInputs } from "../slices/connection";
import { preferencesActions } from "../slices/preferences";
import { purchaseActions } from "../slices/purchase";
import { tabActions } from "../slices/tabs";
import { anEvent, anOrder, aProfile, paid } from "./testing/resources";
import { keyOf, purchaseChoice, purchaseLeads } from "./testing/stations";
import { asked, type Fact, hear, others } from "./testing/tabs";
import { away, openViewerWorld, openWorld, refusing, silence, type TestWorld, viewer } from "./testing/world";

// A purchase while another tab of the same browser does something, begins one too, or is gone in the middle of it.

const HOUR = 3_600_000;

const REQUEST = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;

describe("a purchase beside a busy tab", () => {
  const chat = preferencesActions.kept({ name: "n", value: "v", expires_at: 9e15 });
  async function beside(world: TestWorld): Promise<void> {
    others(world, "b");
    for (let told = 0; told < 10; told += 1) {
      await world.pass(2_000);
      hear(world, chat);
    }
    await world.pass();
  }

  it("is sent once", async () => {
    const world = await openViewerWorld({ "api.buy": silence });
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await beside(world);
    expect(asked(world, "api.buy")).toBe(1);
    world.expectReplays();
  });

  it("makes one card", async () => {
    const world = await openViewerWorld({ "payments.createCard": silence });
    const { payment_method_id: _, ...choice } = purchaseChoice;
    world.ui(purchaseActions.submitPressed({ choice: { ...choice, card_handle: "h" } }));
    await beside(world);
    expect(asked(world, "payments.createCard")).toBe(1);
    world.expectReplays();
  });

  it("puts the bank's question once", async () => {
    const world = await purchaseLeads.confirming();
    await beside(world);
    expect(world.state().purchase.at).toBe("confirming");
    expect(asked(world, "payments.confirm")).toBe(1);
    world.expectReplays();
  });

  it("hears of its order there while it has no stream of its own", async () => {
    const world = await purchaseLeads.confirming();
    others(world, "b");
    const event = { kind: "event", id: 1, state: "live", version: 2 };
    hear(world, connectionInputs.statusReceived(event as never));
    await world.pass();
    expect(world.state().purchase.at).toBe("confirming");
    const order = anOrder({ status: "paid", version: 9 });
    hear(world, connectionInputs.statusReceived({ kind: "order", id: order.id, state: order, version: 9 } as never));
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    world.expectReplays();
  });

  it("is let go when that tab takes it on, and when its viewer leaves or another one comes there", async () => {
    const left = [authActions.logoutPressed(), authActions.loggedOut()];
    const facts: [(key: string) => Fact[], Purchase["at"]][] = [
      [(key) => [purchaseActions.adopted({ key, owner: "b" })], "confirming"],
      [(key) => [purchaseActions.abandoned({ key })], "preparing"],
      [() => [purchaseActions.abandoned({ key: "another" })], "confirming"],
      [() => left, "preparing"],
      [() => [authActions.reset({ reason: "api_key" })], "preparing"],
      [() => [authActions.succeeded({ way: "login", user: aProfile({ id: 8 }) })], "preparing"],
    ];
    for (const [told, at] of facts) {
      const world = await purchaseLeads.confirming();
      others(world, "b");
      hear(world, ...told(keyOf(world)));
      await world.pass(HOUR);
      expect(world.state().purchase.at).toBe(at);
      expect(asked(world, "payments.confirm")).toBe(1);
      world.expectReplays();
    }
  });
});

describe("a purchase that was taken over", () => {
  const placed = { order_id: 55, version: 1 } as const;
  type Echo = (key: string) => Fact;
  const unkept: Echo = (key) => purchaseActions.refused({ key, code: "port_failed", message: "not stored" });
  const echoes: readonly [keyof typeof purchaseLeads, string, Echo, Purchase["at"]][] = [
    ["confirming", "refused", unkept, "confirming"],
    ["processing", "refused", unkept, "processing"],
    ["interrupted", "refused", unkept, "interrupted"],
    ["confirming", "accepted", (key) => purchaseActions.accepted({ key, ...placed }), "confirming"],
    ["confirming", "confirmationAsked", (key) => purchaseActions.confirmationAsked({ key, ...placed }), "confirming"],
    ["confirming", "pollScheduled", (key) => purchaseActions.pollScheduled({ key, at: 1 }), "confirming"],
    ["confirming", "pollRested", (key) => purchaseActions.pollRested({ key }), "confirming"],
    ["processing", "accepted", (key) => purchaseActions.accepted({ key, ...placed }), "processing"],
    ["processing", "confirmed", (key) => purchaseActions.confirmed({ key }), "processing"],
    [
      "processing",
      "confirmationRefused",
      (key) => purchaseActions.confirmationRefused({ key, message: "no" }),
      "processing",
    ],
    ["interrupted", "pollScheduled", (key) => purchaseActions.pollScheduled({ key, at: 1 }), "interrupted"],
    ["interrupted", "pollRested", (key) => purchaseActions.pollRested({ key }), "interrupted"],
    [
      "interrupted",
      "confirmationRefused",
      (key) => purchaseActions.confirmationRefused({ key, message: "no" }),
      "interrupted",
    ],
  ];
  it.each(echoes)("is left as it is, %s, by what its first tab told late: %s", async (lead, _, echo, at) => {
    const world = await purchaseLeads[lead]();
    others(world, "b");
    const before = world.state().purchase;
    hear(world, echo(keyOf(world)));
    expect(world.state().purchase).toEqual(before);
    await world.pass();
    expect(world.state().purchase.at).toBe(at);
    world.expectReplays();
  });

  it("and interrupted before it had an order gets it from what its first tab told late", async () => {
    const lost = () => purchaseActions.interrupted({ key: "k1", message: "x" });
    const submitted = purchaseActions.submitted({ key: "k1", owner: "b", user_id: 7, request: REQUEST });
    for (const [told, at] of [
      [purchaseActions.accepted({ key: "k1", ...placed }), "processing"],
      [purchaseActions.confirmationAsked({ key: "k1", ...placed }), "confirming"],
    ] as const) {
      const world = await openViewerWorld({ "api.getOrder": silence, "payments.confirm": silence });
      others(world, "b");
      hear(world, submitted, lost(), told);
      expect(world.state().purchase).toMatchObject({ at, key: "k1", orderId: 55, version: 1, confirmed: false });
      await world.pass();
      world.expectReplays();
    }
  });

  it("and interrupted while the bank was asked remembers the answer that its first tab told late", async () => {
    const world = await purchaseLeads.interrupted();
    others(world, "b");
    hear(world, purchaseActions.confirmed({ key: keyOf(world) }));
    expect(world.state().purchase).toMatchObject({ at: "interrupted", confirmed: true });
    world.expectReplays();
  });
});

describe("a purchase of another tab", () => {
  const submitted = purchaseActions.submitted({ key: "k1", owner: "b", request: REQUEST });

  it("that was interrupted goes on in the tab whose button is pressed, under its key", async () => {
    const world = await openViewerWorld({ "api.buy": () => anOrder({ status: "paid", version: 2 }) });
    others(world, "b");
    hear(world, submitted, purchaseActions.interrupted({ key: "k1", message: "x", status: 500 }));
    await world.pass(HOUR);
    expect(world.state().purchase.at).toBe("interrupted");
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    expect(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).toEqual(["k1"]);
    world.expectReplays();
  });

  it("that was interrupted here ends when that tab went on with it, and found the browser another person's", async () => {
    const world = await openViewerWorld();
    others(world, "b");
    hear(world, submitted, purchaseActions.interrupted({ key: "k1", message: "x", status: 500 }));
    hear(world, purchaseActions.abandoned({ key: "k1" }));
    await world.pass(HOUR);
    expect(world.state().purchase.at).toBe("preparing");
    world.expectReplays();
  });

  it("that both went on with at the same moment goes on in one of them", async () => {
    for (const lead of ["submitting", "confirming", "processing"] as const) {
      const world = await purchaseLeads[lead]();
      others(world, "b");
      hear(world, purchaseActions.resumed({ key: keyOf(world), by: "online" }));
      await world.pass();
      expect(world.state().purchase.at).toBe(lead);
      world.expectExpected();
      world.expectReplays();
    }
  });

  it("that goes on here is not held for unsent: being turned away says nothing of what was sent there (PAY-4)", async () => {
    const world = await openViewerWorld({ "api.buy": refusing(429, "Too many requests.") });
    others(world, "b");
    hear(world, submitted, purchaseActions.interrupted({ key: "k1", message: "x" }));
    await world.pass();
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "interrupted", key: "k1" });
    world.expectReplays();
  });

  it("that was begun at the same moment is not mixed with this one: each tab goes on with its own", async () => {
    let answer: (order: ReturnType<typeof anOrder>) => void = () => undefined;
    const world = await openViewerWorld({ "api.buy": () => new Promise((resolve) => (answer = resolve)) });
    others(world, "b");
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass();
    const key = keyOf(world);
    const order = { key: "k1", order_id: 555, version: 1 };
    const its = [
      submitted,
      purchaseActions.accepted(order),
      purchaseActions.orderSeen({ ...order, status: "paid", version: 2, via: "poll", failure: null }),
    ];
    for (const fact of its) {
      hear(world, fact);
      await world.pass();
      expect(world.state().purchase).toMatchObject({ at: "submitting", key });
    }
    answer(anOrder({ status: "paid", version: 2 }));
    await world.pass();
    // Its own ended; what the other goes on with says nothing here.
    for (const fact of its.slice(1)) hear(world, fact);
    await world.pass(HOUR);
    expect(world.state().purchase).toMatchObject({ at: "succeeded", orderId: anOrder().id });
    expect(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).toEqual([key]);
    world.expectExpected();
    world.expectReplays();
  });

  it("that was refused before it began ends none that did here", async () => {
    const world = await openViewerWorld({ "api.buy": silence });
    others(world, "b");
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass();
    hear(world, purchaseActions.refused({ key: null, code: "login_required", message: "x" }));
    await world.pass();
    expect(world.state().purchase.at).toBe("submitting");
    expect(asked(world, "api.buy")).toBe(1);
    world.expectReplays();
  });

  it("that was refused without a network is refused no more when both come online", async () => {
    const world = await openViewerWorld();
    hear(world, purchaseActions.refused({ key: null, code: "offline", message: "x" }));
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    hear(world, purchaseActions.refusalLifted());
    await world.pass();
    expect(world.state().purchase.at).toBe("preparing");
    world.expectReplays();
  });
});

describe("a purchase of one person", () => {
  const notTheirs = () => {
    throw wrongUser();
  };

  it("ends where the browser is another's by now, whatever it was doing (PAY-4)", async () => {
    for (const lead of ["interrupted", "processing"] as const) {
      const world = await purchaseLeads[lead]();
      world.script["api.getOrder"] = notTheirs;
      world.ui(purchaseActions.retryPressed());
      await world.pass(HOUR);
      expect(world.state().purchase.at, lead).toBe("preparing");
      world.expectReplays();
    }
    const world = await openViewerWorld({ "api.buy": notTheirs });
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass(HOUR);
    expect(world.state().purchase.at).toBe("preparing");
    expect(asked(world, "api.buy")).toBe(1);
    world.expectReplays();
  });

  it("that another tab told of late is not the next person's to see", async () => {
    const request = { kind: "event", id: 100, payment_method_id: "pm" } as const;
    const submitted = purchaseActions.submitted({ key: "k1", owner: "b", user_id: 8, request });
    for (const world of [await openWorld(), await openViewerWorld()]) {
      others(world, "b");
      hear(world, { ...submitted, user: 8 });
      await world.pass();
      expect(world.state().purchase.at).toBe("preparing");
    }
  });

  it("that was stored is not sent when the page is loaded under the next one", async () => {
    const world = await purchaseLeads.submitting();
    Object.assign(world.script, viewer(aProfile({ id: 8 })), { "api.buy": notTheirs });
    await world.reload();
    await world.pass(HOUR);
    expect(world.state()).toMatchObject({ auth: { userId: 8 }, purchase: { at: "preparing" } });
    for (const { user_id } of world.calls("api.buy")) expect(user_id).toBe(7);
    world.expectReplays();
  });
});

describe("a purchase whose key went out", () => {
  it("keeps it where nothing can be stored any more: a second one could charge twice (PAY-4)", async () => {
    const world = await openViewerWorld({ "api.buy": away });
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass();
    world.script["storage.flush"] = away;
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase.at).toBe("interrupted");
    world.script["storage.flush"] = () => null;
    world.script["api.buy"] = () => anOrder({ status: "paid", version: 2 });
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    expect(new Set(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
    world.expectReplays();
  });
});

// What another page began may have been sent: being turned away at the door now says nothing of it.

const busy = refusing(429, "Too many requests. Please try again in a moment.");
const keys = (world: TestWorld): string[] => world.calls("api.buy").map(({ idempotency_key }) => idempotency_key);

/** The purchase goes on under the key that it has, once the worker takes calls again. */
async function expectGoesOn(world: TestWorld, key: string): Promise<void> {
  expect(world.state().purchase).toMatchObject({ at: "interrupted", key, orderId: null });
  world.script["api.buy"] = () => paid();
  world.ui(purchaseActions.retryPressed());
  await world.pass();
  expect(world.state().purchase.at).toBe("succeeded");
  expect(new Set(keys(world))).toEqual(new Set([key]));
  world.expectReplays();
}

describe("a purchase that is turned away", () => {
  it("after it was taken over from a tab that is gone has not ended (PAY-4)", async () => {
    const world = await openViewerWorld({ "api.getEvent": () => anEvent(), "api.buy": busy });
    world.input("storage", tabActions.identified({ id: "b", holder: true, others: ["a"] }));
    const request = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;
    hear(world, purchaseActions.submitted({ key: "k1", owner: "a", request }));
    await world.pass();
    expect(keys(world)).toEqual([]);
    world.input("storage", tabActions.othersChanged({ others: [] }));
    await world.pass();
    expect(keys(world)).toEqual(["k1"]);
    await expectGoesOn(world, "k1");
  });

  it("after the page was loaded anew has not ended (PAY-4)", async () => {
    const world = await purchaseLeads.submitting();
    const [key = ""] = keys(world);
    world.script["api.buy"] = busy;
    await world.reload();
    expect(keys(world)).toEqual([key, key]);
    await expectGoesOn(world, key);
  });
});
