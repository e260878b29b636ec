import { describe, expect, it } from "vitest";
import { authActions } from "../slices/auth";
import { connectionInputs } from "../slices/connection";
import { favouritesActions, selectFavourites, selectIsFavourite } from "../slices/favourites";
import { outboxActions, selectWaitingCount } from "../slices/outbox";
import { preferencesActions } from "../slices/preferences";
import { purchaseActions } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { factsHeard, tabActions } from "../slices/tabs";
import { anOrder, aProfile } from "./testing/resources";
import { purchaseChoice, purchaseLeads } from "./testing/stations";
import { away, openViewerWorld, openWorld, refusing, silence, type TestWorld } from "./testing/world";

// What a page does while another tab of the same browser does something, or is gone in the middle of it.

const HOUR = 3_600_000;
type Fact = Parameters<typeof factsHeard>[0]["facts"][number];
const hear = (world: TestWorld, ...facts: Fact[]): void => world.input("storage", factsHeard({ facts }));
const others = (world: TestWorld, ...ids: string[]): void =>
  world.input("storage", tabActions.othersChanged({ others: ids }));
const login = authActions.submitted({ way: "login", handle: "h" });
const asked = (world: TestWorld, method: Parameters<TestWorld["calls"]>[0]): number => world.calls(method).length;

describe("a login in another tab", () => {
  it("is left alone by a tab that is opened meanwhile", async () => {
    const world = await openWorld();
    await world.reload((state) => ({
      ...state,
      auth: { at: "authenticating", way: "login", owner: "b" },
      tabs: { id: "", holder: false, others: [] },
    }));
    world.input("storage", tabActions.identified({ id: "a", holder: true, others: ["b"] }));
    await world.pass(HOUR);
    expect(world.state().auth.at).toBe("authenticating");
    hear(world, authActions.succeeded({ way: "login", user: aProfile() }));
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.expectReplays();
  });

  it("ends as the key tells when that tab is gone", async () => {
    const world = await openWorld();
    others(world, "b", "c");
    hear(world, login, authActions.adopted({ owner: "b" }));
    await world.pass(HOUR);
    others(world, "b");
    await world.pass(HOUR);
    expect(world.state().auth.at).toBe("authenticating");
    others(world);
    await world.pass();
    expect(world.state().auth).toMatchObject({ at: "anonymous", refusal: { code: "interrupted" } });
    world.expectReplays();
  });

  it("ends so for a tab that followed it as the one that writes, and for one that was told of the press alone", async () => {
    const world = await openWorld({
      "account.status": () => ({ channel_key: true, api_key: true, user_id: 7 }),
      "api.getProfile": () => aProfile(),
    });
    world.ui(authActions.logoutPressed());
    await world.pass();
    world.input("storage", tabActions.identified({ id: "a", holder: false, others: ["b"] }));
    hear(world, authActions.loggedOut(), login);
    others(world);
    await world.pass(HOUR);
    expect(world.state().auth.at).toBe("authenticating");
    world.input("storage", tabActions.holderChanged({ holder: true }));
    await world.pass();
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.expectReplays();
  });

  it("that was held for lost and ended well after all is a login", async () => {
    const world = await openWorld();
    others(world, "b");
    hear(world, login, authActions.adopted({ owner: "b" }));
    others(world);
    await world.pass();
    hear(world, authActions.succeeded({ way: "login", user: aProfile() }), authActions.adopted({ owner: "b" }));
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    // So is the password that must be changed: here it was known by the profile alone.
    const temporary = { ...aProfile(), temporary_password: true };
    hear(world, authActions.succeeded({ way: "login", user: temporary }), authActions.adopted({ owner: "b" }));
    expect(world.state().auth).toEqual({ at: "mustChangePassword", userId: 7 });
    hear(world, authActions.succeeded({ way: "login", user: aProfile() }));
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.expectReplays();
  });

  it("that was held for lost and is refused says why", async () => {
    const world = await openWorld();
    const refusal = { code: "wrong_auth", message: "Wrong auth data.", errors: {} };
    others(world, "b");
    hear(world, login, authActions.adopted({ owner: "b" }));
    others(world);
    await world.pass();
    hear(world, authActions.adopted({ owner: "b" }), authActions.refused(refusal));
    expect(world.state().auth).toEqual({ at: "anonymous", refusal });
    world.expectReplays();
  });
});

describe("a logout in another tab", () => {
  it("is brought to its end when that tab is gone: nobody stays logged in on a shared computer", async () => {
    const world = await openViewerWorld();
    others(world, "b", "c");
    hear(world, authActions.logoutPressed(), authActions.adopted({ owner: "b" }));
    await world.pass(HOUR);
    others(world, "b");
    await world.pass(HOUR);
    expect(asked(world, "api.logout")).toBe(0);
    others(world);
    await world.pass();
    expect(asked(world, "api.logout")).toBe(1);
    expect(world.state().auth.at).toBe("anonymous");
    // It was not gone after all.
    hear(world, authActions.loggedOut());
    await world.pass();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });
});

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

  it("is let go when that tab takes it on, and when its viewer leaves there", async () => {
    for (const [fact, at] of [
      [purchaseActions.adopted({ owner: "b" }), "confirming"],
      [purchaseActions.abandoned(), "preparing"],
    ] as const) {
      const world = await purchaseLeads.confirming();
      others(world, "b");
      hear(world, fact);
      await world.pass(HOUR);
      expect(world.state().purchase.at).toBe(at);
      expect(asked(world, "payments.confirm")).toBe(1);
      world.expectReplays();
    }
  });
});

describe("a purchase of another tab", () => {
  const request = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;
  const submitted = purchaseActions.submitted({ key: "k1", owner: "b", request });

  it("that was interrupted goes on in the tab whose button is pressed, under its key", async () => {
    const world = await openViewerWorld({ "api.buy": () => anOrder({ status: "paid", version: 2 }) });
    others(world, "b");
    hear(world, submitted, purchaseActions.interrupted({ message: "x", status: 500 }));
    await world.pass(HOUR);
    expect(world.state().purchase.at).toBe("interrupted");
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    expect(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).toEqual(["k1"]);
    world.expectReplays();
  });

  it("that goes on here is not held for unsent: being turned away says nothing of what was sent there (PAY-4)", async () => {
    const world = await openViewerWorld({ "api.buy": refusing(429, "Too many requests.") });
    others(world, "b");
    hear(world, submitted, purchaseActions.interrupted({ message: "x" }));
    await world.pass();
    world.ui(purchaseActions.retryPressed());
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "interrupted", key: "k1" });
    world.expectReplays();
  });

  it("that was begun at the same moment is not mixed with this one", async () => {
    const world = await openViewerWorld({ "api.buy": silence });
    others(world, "b");
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    hear(world, submitted);
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "submitting" });
    expect(new Set(world.calls("api.buy").map(({ idempotency_key }) => idempotency_key)).size).toBeLessThan(2);
    world.expectReplays();
  });

  it("that was refused without a network is refused no more when both come online", async () => {
    const world = await openViewerWorld();
    hear(world, purchaseActions.refused({ code: "offline", message: "x" }));
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    hear(world, purchaseActions.refusalLifted());
    await world.pass();
    expect(world.state().purchase.at).toBe("preparing");
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

describe("a page that is opened during another tab's logout", () => {
  it.each([
    ["loggedOut", authActions.loggedOut()],
    ["reset", authActions.reset({ reason: "api_key" })],
  ])("is ready once that has ended by %s", async (_, end) => {
    const world = await openWorld();
    await world.reload((state) => ({
      ...state,
      startup: { at: "idle" } as typeof state.startup,
      auth: { at: "loggingOut", userId: 7, owner: "b" },
      tabs: { id: "", holder: false, others: [] },
    }));
    world.input("storage", tabActions.identified({ id: "a", holder: false, others: ["b"] }));
    await world.pass(1_000);
    hear(world, end);
    await world.pass(1_000);
    expect(world.state().startup).toMatchObject({ at: "ready" });
    expect(world.actions("startup/partLoaded").filter((told) => JSON.stringify(told).includes("profile")).length).toBe(
      2,
    );
    world.expectReplays();
  });
});

describe("what waits for somebody's key", () => {
  it("goes when they log in in another tab", async () => {
    const world = await openWorld({ "outbox.drain": () => ({ left: 0, retry_after_ms: null }) });
    others(world, "b");
    hear(world, login, authActions.adopted({ owner: "b" }));
    await world.pass();
    const before = asked(world, "outbox.drain");
    hear(world, authActions.succeeded({ way: "login", user: aProfile() }));
    await world.pass();
    expect(asked(world, "outbox.drain") - before).toBe(1);
    world.expectReplays();
  });

  it("is sent by one round at a time, though each tab hears of the others' (without Web Locks)", async () => {
    let answer: (report: { left: number; retry_after_ms: null }) => void = () => undefined;
    const world = await openViewerWorld({ "outbox.drain": () => new Promise((resolve) => (answer = resolve)) });
    others(world, "b");
    hear(world, outboxActions.drainBegan(), outboxActions.drained(), outboxActions.drained());
    hear(world, outboxActions.deferred({ until: world.now() + 1_000 }));
    answer({ left: 0, retry_after_ms: null });
    await world.pass(HOUR);
    world.expectExpected();
  });
});

describe("two logins at once", () => {
  it("end as the one that succeeded", async () => {
    const world = await openWorld({ "api.login": refusing(401, "Wrong auth data.", "wrong_auth") });
    others(world, "b");
    hear(world, login, authActions.adopted({ owner: "b" }), authActions.succeeded({ way: "login", user: aProfile() }));
    hear(world, authActions.refused({ code: "wrong_auth", message: "Wrong auth data.", errors: {} }));
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.expectReplays();
  });
});

describe("the next viewer of a browser", () => {
  const team = { favoritable_id: 21, favoritable_type: "participant" } as const;

  it("does not see what waits for the one before, and may want the same", async () => {
    const world = await openViewerWorld({ "api.login": () => ({ ...aProfile(), id: 8 }), "outbox.drain": away });
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    expect(selectWaitingCount(world.state())).toBe(1);
    world.ui(authActions.logoutPressed());
    await world.pass();
    expect([selectFavourites(world.state()), selectWaitingCount(world.state())]).toEqual([[], 0]);
    world.ui(login);
    await world.pass();
    expect([selectFavourites(world.state()), selectWaitingCount(world.state())]).toEqual([[], 0]);
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    expect(world.calls("outbox.put").at(-1)?.item).toMatchObject({ kind: "favourite.add", user_id: 8 });
    world.expectReplays();
  });
});

describe("a list that is on its way", () => {
  const team = { favoritable_id: 21, favoritable_type: "participant" } as const;

  it.each(["here", "in another tab"])("is read again when what it lists is stored meanwhile, %s", async (where) => {
    const answers: ((known: never[]) => void)[] = [];
    const world = await openViewerWorld({
      "api.listFavourites": () => new Promise((resolve) => answers.push(resolve)),
    });
    world.ui(queryActions.wanted({ method: "api.listFavourites", args: {} }));
    await world.pass();
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    const [put] = world.calls("outbox.put");
    if (put?.item.kind !== "favourite.add") throw new Error("no heart was put");
    const { id, kind, payload } = put.item;
    const done = { outcome: "done", answer: { id: 1, ...team } } as const;
    const answered = outboxActions.itemAnswered({ id, kind, payload, outcome: done });
    if (where === "here") world.input("storage", answered);
    else hear(world, answered);
    await world.pass();
    answers[0]?.([]);
    await world.pass();
    expect(selectIsFavourite(team)(world.state())).toBe(true);
    expect(answers).toHaveLength(2);
    world.expectReplays();
  });
});
