import { describe, expect, it } from "vitest";
import type { Order } from "../contracts/resources";
import type { PurchaseChoice } from "../machines/purchase";
import { PortError } from "../ports/error";
import { authActions } from "../slices/auth";
import { connectionInputs } from "../slices/connection";
import { purchaseActions } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { CHECK_INTERVAL } from "./purchaseSteps";
import { aBootstrap, anEvent, anOrder, aPackage, aProfile, aSubscription, paid } from "./testing/resources";
import {
  away,
  openViewerWorld,
  openWorld,
  refusing,
  type Script,
  silence,
  type TestWorld,
  viewer,
} from "./testing/world";

const choice: PurchaseChoice = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm_saved" };

const selling: Script = {
  "api.getEvent": () => anEvent(),
  "api.buy": () => anOrder(),
  "api.getOrder": () => anOrder(),
};

const live: Script = {
  "sync.connect": () => ({ epoch: "e", user_seq: 0, channel_seq: 0, mode: "resumed", ping_ms: 600_000 }),
};

const press = (world: TestWorld, parts: Partial<PurchaseChoice> = {}) =>
  world.ui(purchaseActions.submitPressed({ choice: { ...choice, ...parts } }));

const push = (world: TestWorld, order: Order, seq = 1) =>
  world.input(
    "sync",
    connectionInputs.statusReceived({
      stream: "user",
      seq,
      kind: "order",
      id: order.id,
      version: order.version,
      state: order,
    }),
  );

/** A viewer on the page of a paid event. */
async function shop(script: Script = {}): Promise<TestWorld> {
  const world = await openViewerWorld({ ...selling, ...script });
  world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 100 } }));
  await world.pass();
  return world;
}

const at = (world: TestWorld): string => world.state().purchase.at;

describe("a purchase that isn't requested", () => {
  const refusals: [string, Partial<PurchaseChoice>, Script, string][] = [
    ["has no id", { id: null }, {}, "id not selected"],
    ["is of a team pass without a team", { kind: "package", id: 41 }, {}, "Package is TeamPass but team not selected"],
    ["is of an owned package", { kind: "package", id: 42 }, {}, "You already bought this package."],
    [
      "is of a trial after a trial",
      { kind: "trial", id: 60 },
      viewer(aProfile({ trial_period_used: true })),
      "You have already used your free trial.",
    ],
  ];
  const bootstrap = aBootstrap({
    packages: [
      aPackage({ id: 41, is_team_pass: true, participants: [21, 22] }),
      aPackage({ id: 42, event_categories: [1, 2], disabled_categories: [2, 1] }),
    ],
    subscriptions: [aSubscription()],
  });
  for (const [what, parts, script, message] of refusals)
    it(`${what}: ${message}`, async () => {
      const world = await shop({ "api.getBootstrap": () => bootstrap, ...script });
      press(world, parts);
      await world.pass();
      expect(world.state().purchase).toMatchObject({ at: "rejected", message });
      expect(world.calls("api.buy")).toEqual([]);
      world.expectReplays();
    });

  it("names no single-event package of a paid event", async () => {
    const world = await shop();
    const { single_event_package_id: _, ...without } = choice;
    world.ui(purchaseActions.submitPressed({ choice: without }));
    expect(world.state().purchase).toMatchObject({ at: "rejected", code: "single_event_package_not_selected" });
  });

  it("has no card: the viewer is asked for one", async () => {
    const world = await shop();
    const { payment_method_id: _, ...without } = choice;
    world.ui(purchaseActions.submitPressed({ choice: without }));
    expect(world.state().purchase).toMatchObject({
      at: "rejected",
      message: "Please select one of your saved cards or enter new one.",
    });
  });

  it("has no buyer", async () => {
    const world = await openWorld(selling);
    press(world);
    expect(world.state().purchase).toMatchObject({ at: "rejected", code: "login_required" });
  });

  it("is offline: it isn't queued, and the site waits (PAY-8)", async () => {
    const world = await shop();
    world.input("ui", connectionInputs.wentOffline());
    press(world);
    await world.pass(60_000);
    expect(world.state().purchase).toMatchObject({ at: "rejected", code: "offline" });
    world.input("ui", connectionInputs.cameOnline());
    await world.pass(60_000);
    expect(at(world)).toBe("preparing");
    expect(world.calls("api.buy")).toEqual([]);
    world.expectReplays();
  });
});

describe("a refusal", () => {
  it("is replaced by another one, by a purchase, by another page, and by another viewer", async () => {
    const world = await shop();
    press(world, { id: null });
    world.ui(purchaseActions.submitPressed({ choice: { kind: "event", id: 100 } }));
    expect(world.state().purchase).toMatchObject({ code: "single_event_package_not_selected" });
    world.ui(purchaseActions.opened());
    expect(at(world)).toBe("preparing");
    press(world, { id: null });
    world.input("api", authActions.reset({ reason: "unauthenticated" }));
    expect(at(world)).toBe("preparing");
    const again = await shop();
    press(again, { id: null });
    press(again);
    expect(at(again)).toBe("submitting");
  });
});

describe("a purchase", () => {
  it("is stored before it is requested, and polled every 2 s until it is paid (PAY-2, PAY-4)", async () => {
    const order: string[] = [];
    const world = await shop({
      "storage.flush": () => {
        order.push("flush");
        return null;
      },
      "api.buy": () => {
        order.push("buy");
        return anOrder();
      },
    });
    press(world);
    await world.pass();
    expect(order).toEqual(["flush", "buy"]);
    expect(at(world)).toBe("processing");
    await world.pass(1_999);
    expect(world.calls("api.getOrder")).toHaveLength(0);
    await world.pass(1);
    expect(world.calls("api.getOrder")).toHaveLength(1);
    await world.pass(2_000);
    expect(world.calls("api.getOrder")).toHaveLength(2);
    world.script["api.getOrder"] = () => paid();
    await world.pass(2_000);
    expect(at(world)).toBe("succeeded");
    await world.pass(10_000);
    expect(world.calls("api.getOrder")).toHaveLength(3);
    world.expectReplays();
  });

  it("requests exactly the choice, under one key", async () => {
    const world = await shop();
    press(world, { promo_code: "SPRING" });
    press(world);
    await world.pass();
    expect(world.calls("api.buy")).toEqual([
      {
        idempotency_key: expect.stringMatching(/^01890000-/),
        type: "event",
        id: 100,
        single_event_package_id: 500,
        payment_method_id: "pm_saved",
        promo_code: "SPRING",
        user_id: 7,
      },
    ]);
  });

  it("opens its content without a reload", async () => {
    const world = await shop();
    press(world);
    await world.pass();
    world.script["api.getOrder"] = () => paid();
    world.script["api.getEvent"] = () =>
      anEvent({ has_access: true, media: [{ id: 900, type: 2, url: "/m", duration_s: 0 }] });
    await world.pass(2_000);
    expect(world.state().events.byId[100]?.has_access).toBe(true);
    expect(world.calls("api.getProfile").length).toBeGreaterThan(1);
    world.expectReplays();
  });

  it("is recorded once for the datalake, as base price − discount + tax, under its own key (ANA-4)", async () => {
    const world = await shop();
    world.input("ui", {
      type: "analytics/deviceKnown",
      payload: {
        device_type: "desktop",
        user_agent: "t",
        resolution: "1x1",
        origin_url: "http://t",
        do_not_track: false,
      },
    });
    press(world);
    await world.pass();
    const { idempotency_key } = world.calls("api.buy")[0] ?? {};
    world.script["api.getOrder"] = () => paid();
    await world.pass(2_000);
    push(world, paid({ version: 3 }));
    await world.pass();
    const recorded = world.calls("outbox.put").filter(({ item }) => JSON.stringify(item).includes('"purchase"'));
    expect(recorded).toHaveLength(1);
    expect(recorded[0]?.item).toMatchObject({
      id: idempotency_key,
      payload: { body: { event: "purchase", extras: { value: 1000, tax: 100, currency: "USD" } } },
    });
    world.expectReplays();
  });

  it("opens the popup when it fails, and the viewer may buy again under another key", async () => {
    const world = await shop();
    press(world);
    await world.pass();
    world.script["api.getOrder"] = () => anOrder({ status: "failed", version: 2, failure: "Your card was declined." });
    await world.pass(2_000);
    expect(world.state().purchase).toMatchObject({ at: "failed", popup: true, message: "Your card was declined." });
    world.ui(purchaseActions.popupClosed());
    press(world);
    await world.pass();
    const keys = world.calls("api.buy").map(({ idempotency_key }) => idempotency_key);
    expect(new Set(keys).size).toBe(2);
    world.expectReplays();
  });

  it("shows the worker's refusal", async () => {
    const world = await shop({ "api.buy": refusing(400, "Wrong promo code.") });
    press(world);
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "rejected", message: "Wrong promo code." });
  });

  it("isn't requested if its key can't be stored", async () => {
    const world = await shop({ "storage.flush": away });
    press(world);
    await world.pass();
    expect(at(world)).toBe("rejected");
    expect(world.calls("api.buy")).toEqual([]);
  });

  it("turns a new card into its payment method, and sends no handle", async () => {
    const world = await shop({ "payments.createCard": () => ({ payment_method_id: "pm_new" }) });
    const { payment_method_id: _, ...without } = choice;
    world.ui(purchaseActions.submitPressed({ choice: { ...without, card_handle: "h1" } }));
    await world.pass();
    expect(world.calls("payments.createCard")).toEqual([{ handle: "h1", user_id: 7 }]);
    expect(world.calls("api.buy")).toMatchObject([{ payment_method_id: "pm_new" }]);
    expect(JSON.stringify(world.state())).not.toContain('"h1"');
  });

  it("starts a trial by its own call", async () => {
    const world = await shop({
      "api.startTrial": () => paid({ type: "subscription", product: { id: 60, name: "Monthly" } }),
    });
    press(world, { kind: "trial", id: 60 });
    await world.pass();
    expect(world.calls("api.startTrial")).toMatchObject([{ subscription_id: 60, payment_method_id: "pm_saved" }]);
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("ends with its viewer's session", async () => {
    const world = await shop();
    press(world);
    await world.pass();
    world.ui(authActions.logoutPressed());
    await world.pass(10_000);
    expect(at(world)).toBe("preparing");
    expect(world.calls("api.getOrder")).toEqual([]);
    world.expectReplays();
  });

  it("is abandoned if the browser turns out to be another person's, at any step", async () => {
    const rejectWrongUser = (): never => {
      throw new PortError({ code: "wrong_user", message: "", retryable: true });
    };
    const asking = anOrder({ next_action: { type: "confirm" } });
    const scripts: Script[] = [
      { "api.buy": rejectWrongUser },
      { "api.getOrder": rejectWrongUser },
      { "api.buy": () => asking, "payments.confirm": rejectWrongUser },
    ];
    for (const script of scripts) {
      const world = await shop(script);
      press(world);
      await world.pass(2_000);
      expect(at(world)).toBe("preparing");
      world.expectReplays();
    }
  });
});

describe("while the stream is live", () => {
  it("the order is checked rarely, and a push ends the purchase (PAY-3)", async () => {
    const world = await shop(live);
    press(world);
    await world.pass(CHECK_INTERVAL - 1);
    expect(world.calls("api.getOrder")).toEqual([]);
    await world.pass(11 * CHECK_INTERVAL);
    expect(world.calls("api.getOrder")).toHaveLength(11);
    expect(world.calls("sync.watch")).toEqual([{ kind: "order", id: 55 }]);
    push(world, paid());
    await world.pass();
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("a check finds what a dead socket never pushed, and a failed one changes nothing (PAY-3)", async () => {
    const world = await shop({ ...live, "api.getOrder": away });
    press(world);
    await world.pass(CHECK_INTERVAL);
    expect(at(world)).toBe("processing");
    world.script["api.getOrder"] = () => paid();
    await world.pass(CHECK_INTERVAL);
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("polling takes over when it drops, and rests when it is back", async () => {
    const world = await shop(live);
    press(world);
    await world.pass();
    world.script["sync.connect"] = away;
    world.input("sync", connectionInputs.closed({ code: 1006 }));
    await world.pass(4_000);
    expect(world.calls("api.getOrder")).toHaveLength(2);
    Object.assign(world.script, live);
    world.input("ui", connectionInputs.cameBack());
    await world.pass(CHECK_INTERVAL - 1);
    expect(world.calls("api.getOrder")).toHaveLength(2);
    push(world, paid());
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("a push before the answer isn't missed", async () => {
    let answer: (order: Order) => void = () => undefined;
    const world = await shop({ ...live, "api.buy": () => new Promise((resolve) => (answer = resolve)) });
    press(world);
    await world.pass();
    push(world, paid());
    answer(anOrder());
    await world.pass();
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("a snapshot has the same effect as a push", async () => {
    const world = await shop();
    press(world);
    await world.pass();
    const snapshot = [{ stream: "user" as const, kind: "order" as const, id: 55, version: 2, state: paid() }];
    world.script["sync.connect"] = () => ({
      epoch: "e",
      user_seq: 9,
      channel_seq: 9,
      mode: "snapshot",
      snapshot,
      ping_ms: 600_000,
    });
    world.input("ui", connectionInputs.cameBack());
    await world.pass();
    expect(at(world)).toBe("succeeded");
    expect(world.calls("api.getOrder")).toEqual([]);
    world.expectReplays();
  });
});

describe("a purchase without an answer", () => {
  it("stops polling after an error, and continues when the viewer asks", async () => {
    const world = await shop({ "api.getOrder": away });
    press(world);
    await world.pass(60_000);
    expect(world.state().purchase).toMatchObject({ at: "interrupted", orderId: 55 });
    expect(world.calls("api.getOrder")).toHaveLength(1);
    world.script["api.getOrder"] = () => paid();
    world.ui(purchaseActions.retryPressed());
    await world.pass(2_000);
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("continues when the network is back", async () => {
    const world = await shop({ "api.getOrder": away });
    press(world);
    await world.pass(2_000);
    world.script["api.getOrder"] = () => paid();
    world.input("ui", connectionInputs.cameOnline());
    await world.pass(2_000);
    expect(at(world)).toBe("succeeded");
  });

  it("continues by a push", async () => {
    const world = await shop({ "api.getOrder": away });
    press(world);
    await world.pass(2_000);
    push(world, paid());
    await world.pass();
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("is requested again under the same key when it is unknown whether there is an order (PAY-4)", async () => {
    const world = await shop({ "api.buy": away });
    press(world);
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "interrupted", orderId: null });
    world.script["api.buy"] = () => anOrder();
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    const [first, second] = world.calls("api.buy");
    expect(second).toEqual(first);
    expect(at(world)).toBe("processing");
    world.expectReplays();
  });
});

describe("the bank's question (3-D Secure)", () => {
  const asking = anOrder({ next_action: { type: "confirm" } });

  it("is put to the viewer, and the order is then followed", async () => {
    const world = await shop({ "api.buy": () => asking, "api.getOrder": () => asking, "payments.confirm": () => null });
    press(world);
    await world.pass();
    expect(world.calls("payments.confirm")).toEqual([{ order_id: 55, user_id: 7 }]);
    expect(at(world)).toBe("processing");
    await world.pass(2_000);
    expect(world.calls("payments.confirm")).toHaveLength(1);
    world.script["api.getOrder"] = () => paid();
    await world.pass(2_000);
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("is put once when the stream reports it", async () => {
    const later = { ...asking, version: asking.version + 1 };
    const world = await shop({ ...live, "payments.confirm": () => null });
    press(world);
    await world.pass();
    expect(world.calls("payments.confirm")).toEqual([]);
    push(world, later);
    await world.pass();
    push(world, later, 2);
    await world.pass();
    expect(world.calls("payments.confirm")).toEqual([{ order_id: 55, user_id: 7 }]);
    push(world, { ...paid(), version: later.version + 1 }, 3);
    await world.pass();
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });

  it("fails the purchase when the viewer refuses", async () => {
    const world = await shop({ "api.buy": () => asking, "payments.confirm": refusing(402, "Your bank refused.") });
    press(world);
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "failed", popup: true, message: "Your bank refused." });
    world.expectReplays();
  });

  it("is put again after an interruption", async () => {
    const world = await shop({ "api.buy": () => asking, "api.getOrder": () => asking, "payments.confirm": away });
    press(world);
    await world.pass();
    expect(at(world)).toBe("interrupted");
    world.script["payments.confirm"] = silence;
    world.ui(purchaseActions.retryPressed());
    await world.pass(2_000);
    expect(at(world)).toBe("confirming");
    expect(world.calls("payments.confirm")).toHaveLength(2);
    push(world, paid());
    await world.pass();
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });
});

describe("a page that is loaded in the middle of a purchase", () => {
  it("requests it again under the same key while submitting", async () => {
    const world = await shop({ "api.buy": silence });
    press(world);
    await world.pass();
    world.script["api.buy"] = () => anOrder();
    await world.reload();
    const [first, second] = world.calls("api.buy");
    expect(second).toEqual(first);
    expect(at(world)).toBe("processing");
    world.expectReplays();
  });

  it("requests it again with the new card's payment method", async () => {
    const world = await shop({ "payments.createCard": () => ({ payment_method_id: "pm_new" }), "api.buy": silence });
    const { payment_method_id: _, ...without } = choice;
    world.ui(purchaseActions.submitPressed({ choice: { ...without, card_handle: "h1" } }));
    await world.pass();
    world.script["api.buy"] = () => anOrder();
    await world.reload();
    const [first, second] = world.calls("api.buy");
    expect(second).toEqual(first);
    expect(second).toMatchObject({ payment_method_id: "pm_new" });
    expect(world.calls("payments.createCard")).toHaveLength(1);
    world.expectReplays();
  });

  it("has lost a new card: it says that nothing was paid, and buys nothing (PAY-12)", async () => {
    const world = await shop({ "payments.createCard": silence });
    const { payment_method_id: _, ...without } = choice;
    world.ui(purchaseActions.submitPressed({ choice: { ...without, card_handle: "h1" } }));
    await world.pass();
    await world.reload();
    expect(world.state().purchase).toMatchObject({
      at: "rejected",
      code: "cut_off",
      request: { kind: "event", id: 100 },
    });
    expect(world.calls("api.buy")).toEqual([]);
    world.expectReplays();
  });

  it("that was interrupted during card entry says that nothing was paid (PAY-12)", async () => {
    const world = await shop({ "payments.createCard": away });
    const { payment_method_id: _, ...without } = choice;
    world.ui(purchaseActions.submitPressed({ choice: { ...without, card_handle: "h1" } }));
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "rejected", code: "cut_off" });
    world.ui(purchaseActions.popupClosed());
    expect(at(world)).toBe("preparing");
    expect(world.calls("api.buy")).toEqual([]);
    world.expectReplays();
  });

  it("keeps the time of the next poll", async () => {
    const world = await shop();
    press(world);
    await world.pass(1_500);
    await world.reload();
    await world.pass(499);
    expect(world.calls("api.getOrder")).toHaveLength(0);
    await world.pass(1);
    expect(world.calls("api.getOrder")).toHaveLength(1);
    world.expectReplays();
  });

  it("puts the bank's question again", async () => {
    const asking = anOrder({ next_action: { type: "confirm" } });
    const world = await shop({ "api.buy": () => asking, "payments.confirm": silence });
    press(world);
    await world.pass();
    world.script["payments.confirm"] = () => null;
    await world.reload();
    expect(world.calls("payments.confirm")).toHaveLength(2);
    expect(at(world)).toBe("processing");
    world.expectReplays();
  });

  it("continues from an interruption", async () => {
    const world = await shop({ "api.getOrder": away });
    press(world);
    await world.pass(2_000);
    world.script["api.getOrder"] = () => paid();
    await world.reload();
    await world.pass(2_000);
    expect(at(world)).toBe("succeeded");
    world.expectReplays();
  });
});

describe("a price that differs from the displayed one (PAY-10)", () => {
  const displayed = { total: 1099, service_fee: 100, currency: "USD" } as const;
  const price = { base_price: 1199, discount: 0, service_fee: 100, total: 1299, currency: "USD" };
  const changed = (): never => {
    throw new PortError({
      code: "price_changed",
      message: "The price has changed. You have not been charged.",
      status: 409,
      details: { price },
    });
  };

  it("is sent with the press, and a difference is presented with the new price", async () => {
    const world = await shop({ "api.buy": changed });
    press(world, { shown: displayed });
    await world.pass();
    expect(world.calls("api.buy")).toMatchObject([
      { expected_total: 1099, expected_service_fee: 100, currency: "USD" },
    ]);
    expect(world.state().purchase).toMatchObject({
      at: "rejected",
      code: "price_changed",
      price,
      request: { shown: displayed },
    });
    // The page's data is reread.
    expect(world.calls("api.getEvent")).toHaveLength(2);
    await world.pass(60_000);
    expect(world.calls("api.buy")).toHaveLength(1);

    world.script["api.buy"] = () => anOrder();
    press(world, { shown: { ...displayed, total: price.total } });
    await world.pass();
    const [first, second] = world.calls("api.buy");
    expect(second).toMatchObject({ expected_total: 1299 });
    expect(second?.idempotency_key).not.toBe(first?.idempotency_key);
    world.expectReplays();
  });

  it("of a trial is sent with its days and its renewal", async () => {
    const world = await shop({ "api.startTrial": () => anOrder({ type: "subscription" }) });
    const trial = { total: 0, renewal_price: 1299, trial_days: 7, currency: "USD" } as const;
    world.ui(
      purchaseActions.submitPressed({ choice: { kind: "trial", id: 60, payment_method_id: "pm", shown: trial } }),
    );
    await world.pass();
    const [sent] = world.calls("api.startTrial");
    expect(sent).toMatchObject({
      expected_total: 0,
      expected_renewal_price: 1299,
      expected_trial_days: 7,
      currency: "USD",
    });
    expect(sent).not.toHaveProperty("expected_service_fee");
  });
});

it("a purchase refused for the region looks up the country again (GEO-1)", async () => {
  const closed = { country: "Canada", country_code: "CA", is_geo_blocked: true };
  const world = await shop({ "api.buy": refusing(403, "Content not available in the region.", "geo_blocked") });
  world.script["api.getGeo"] = () => closed;
  press(world);
  await world.pass();
  expect(world.state().catalogue.geo).toEqual(closed);
  expect(world.calls("api.getEvent")).toHaveLength(2);
});
