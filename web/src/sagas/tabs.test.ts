import { describe, expect, it } from "vitest";
import { authActions } from "../slices/auth";
import { selectFavourites } from "../slices/favourites";
import { outboxActions } from "../slices/outbox";
import { queryActions } from "../slices/queries";
import { tabActions } from "../slices/tabs";
import { aProfile } from "./testing/resources";
import { asked, type Fact, hear, others } from "./testing/tabs";
import { openViewerWorld, openWorld, refusing } from "./testing/world";

// What a page does while another tab of the same browser does something, or is gone in the middle of it.

const HOUR = 3_600_000;
const login = authActions.submitted({ way: "login", handle: "h" });

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
    world.script["account.status"] = () => ({ channel_key: true, api_key: true, user_id: null });
    hear(world, authActions.loggedOut());
    await world.pass();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });
});

describe("who is here", () => {
  const user = (user_id: number | null) => () => ({ channel_key: true, api_key: true, user_id });
  const told = (fact: Fact, viewer: number | null): Fact => ({ ...fact, user: viewer });
  const profile = aProfile();

  it("is not told by what comes late of a session that is over", async () => {
    const world = await openViewerWorld({ "api.login": () => aProfile({ id: 8 }) });
    world.script["account.status"] = user(null);
    world.ui(authActions.logoutPressed());
    await world.pass();
    hear(world, told(authActions.profileLoaded({ user: profile }), 7));
    await world.pass();
    expect(world.state().auth.at).toBe("anonymous");
    world.script["account.status"] = user(8);
    world.ui(login);
    await world.pass();
    const read = { method: "api.listFavourites", args: {}, asked_at: world.now(), at: world.now() } as const;
    const theirs = { id: 1, favoritable_id: 21, favoritable_type: "participant" } as const;
    hear(
      world,
      told(authActions.logoutPressed(), 7),
      told(authActions.loggedOut(), 7),
      told(authActions.reset({ reason: "unauthenticated" }), 7),
      told(authActions.profileLoaded({ user: profile }), 7),
      told(queryActions.loaded({ ...read, answer: [theirs] }), 7),
    );
    // Not for a moment: what is read meanwhile would be read as nobody's.
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 8 });
    await world.pass();
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 8 });
    expect(selectFavourites(world.state())).toEqual([]);
    world.expectExpected();
    world.expectReplays();
  });

  it("is what the key says, where another tab tells otherwise", async () => {
    const world = await openViewerWorld();
    hear(world, told(authActions.reset({ reason: "unauthenticated" }), 7));
    await world.pass();
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.script["account.status"] = user(null);
    hear(world, told(authActions.reset({ reason: "unauthenticated" }), 7));
    await world.pass();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });

  it("is who logged in, whosever profile was on its way", async () => {
    const answers: ((profile: ReturnType<typeof aProfile>) => void)[] = [];
    const world = await openWorld({
      "account.status": user(7),
      "api.getProfile": () => new Promise((resolve) => answers.push(resolve)),
      "api.login": () => aProfile({ id: 8 }),
    });
    world.ui(login);
    await world.pass();
    answers[0]?.(profile);
    await world.pass();
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 8 });
    expect(world.state().startup.at).toBe("ready");
    world.expectReplays();
  });

  it("is another person where the key is another's: what is kept of the one before goes", async () => {
    const world = await openViewerWorld();
    world.script["account.status"] = user(8);
    world.script["api.getProfile"] = () => aProfile({ id: 8 });
    const known = [{ id: 1, favoritable_id: 21, favoritable_type: "participant" }] as const;
    await world.reload((state) => ({ ...state, favourites: { ...state.favourites, known } }));
    world.input("storage", tabActions.identified({ id: "a", holder: true, others: [] }));
    await world.pass();
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 8 });
    expect(selectFavourites(world.state())).toEqual([]);
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

describe("a login here and a logout in another tab", () => {
  it.each([
    ["that goes well", () => aProfile({ id: 8 }), { at: "authenticated", userId: 8 }],
    ["that is refused", refusing(400, "Wrong auth data.", "wrong_auth"), { at: "anonymous" }],
  ] as const)("end as the login does, %s", async (_, answer, end) => {
    let settle: () => void = () => undefined;
    const world = await openWorld({
      "api.login": () => new Promise((resolve) => (settle = () => resolve(null as never))).then(answer),
    });
    others(world, "b");
    world.ui(login);
    await world.pass();
    hear(world, authActions.profileLoaded({ user: aProfile() }), authActions.logoutPressed());
    hear(world, authActions.adopted({ owner: "b" }), login);
    expect(world.state().auth.at).toBe("loggingOut");
    world.script["account.status"] = () => ({
      channel_key: true,
      api_key: true,
      user_id: end.at === "anonymous" ? null : end.userId,
    });
    settle();
    await world.pass();
    hear(world, authActions.loggedOut());
    await world.pass();
    expect(world.state().auth).toMatchObject(end);
    world.expectExpected();
    world.expectReplays();
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
