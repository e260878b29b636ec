import { describe, expect, it } from "vitest";
import type { Bootstrap } from "../contracts/resources";
import { analyticsActions } from "../slices/analytics";
import { connectionInputs } from "../slices/connection";
import { navigationActions } from "../slices/navigation";
import { purchaseActions } from "../slices/purchase";
import { siteActions } from "../slices/site";
import { CONTAINER, device, measured, recordedEvents, site, tagged, withoutSetting } from "./testing/analyticsWorld";
import { purchaseChoice } from "./testing/processStates";
import { aBootstrap, anOrder, settings } from "./testing/resources";
import { lead, receive } from "./testing/tabs";
import { away, openViewerWorld, openWorld, silence, type TestWorld } from "./testing/world";

const DAY = 86_400_000;
/** Site facts in each event (ANA-8) before the viewer's country is known. */
const OF_THE_SITE = {
  channel: "northfield",
  analytics_key: settings()["yare-analytics"],
  language: "en",
  referrer: "https://news.example",
  app_version: "0.1.0",
};
const visit = (world: TestWorld, path: string, trk: string | null = null) =>
  world.ui(
    navigationActions.pageOpened({ page: { name: "home", path, params: {}, query: {} }, remembered: true, trk }),
  );

describe("an analytics session", () => {
  it("is fetched once, recorded, used for a day, and renewed (ANA-1)", async () => {
    const world = await measured();
    expect(world.state().analyticsSession).toEqual({
      at: "active",
      session: "session-1",
      expiresAt: world.now() + DAY,
    });
    expect(recordedEvents(world, "/datalake/session/")).toEqual([
      {
        profile: world.state().analytics.profile,
        session: "session-1",
        device_type: "desktop",
        user_agent: "Test/1.0",
        resolution: "1280x720",
        platform: "web",
        user_id: 7,
        origin_url: "http://northfield.test",
        ...OF_THE_SITE,
      },
    ]);
    expect(world.calls("outbox.drainAnalytics").at(-1)).toEqual({
      session: { profile: world.state().analytics.profile, session: "session-1", expires_at: world.now() + DAY },
    });
    world.script["api.getAnalyticsSession"] = () => "session-2";
    await world.pass(DAY / 2);
    await world.reload();
    await world.pass(DAY / 2 - 1);
    expect(world.state().analyticsSession).toMatchObject({ session: "session-1" });
    await world.pass(1);
    expect(world.state().analyticsSession).toMatchObject({ session: "session-2" });
    const { profile } = world.state().analytics;
    expect(recordedEvents(world, "/datalake/session/").map((session) => session.profile)).toEqual([profile, profile]);
    world.expectReplays();
  });

  it("carries the link's tracking value in its row, though no page has been displayed yet (NAV-6)", async () => {
    const world = await openViewerWorld({ "api.getBootstrap": () => tagged() });
    world.input("ui", siteActions.opened({ ...site, trk: "spring" }));
    world.input("ui", analyticsActions.deviceKnown(device));
    await world.pass();
    expect(recordedEvents(world, "/datalake/session/")).toMatchObject([{ session: "session-1", trk: "spring" }]);
    world.expectReplays();
  });

  it.each([
    ["the page", connectionInputs.cameBack()],
    ["the network", connectionInputs.cameOnline()],
  ])("expires when %s comes back after a day without timers", async (_, back) => {
    const world = await measured();
    world.script["api.getAnalyticsSession"] = () => "session-2";
    world.setClock(DAY - 1);
    world.input("ui", back);
    await world.pass();
    expect(world.state().analyticsSession).toMatchObject({ session: "session-1" });
    world.setClock(1);
    world.input("ui", back);
    await world.pass();
    expect(world.state().analyticsSession).toMatchObject({ session: "session-2", expiresAt: world.now() + DAY });
    expect(recordedEvents(world, "/datalake/session/").map((session) => session.session)).toEqual([
      "session-1",
      "session-2",
    ]);
    world.expectReplays();
  });

  it("from a day ago is used neither for the next page's events nor for its own row (ANA-1, ANA-11)", async () => {
    const world = await measured();
    visit(world, "/");
    await world.pass();
    world.setClock(DAY);
    let answer: (session: string) => void = () => undefined;
    world.script["api.getAnalyticsSession"] = () => new Promise<string>((resolve) => (answer = resolve));
    await world.reload();
    world.input("ui", analyticsActions.deviceKnown(device));
    visit(world, "/vod");
    await world.pass();
    answer("session-2");
    await world.pass();
    visit(world, "/live");
    await world.pass();
    const { profile } = world.state().analytics;
    const [first, second, third] = recordedEvents(world, "/datalake/event/");
    expect(first).toMatchObject({ extras: { page: "/" }, profile, session_uuid: "session-1" });
    // The sender puts it into the next session.
    expect(second).toMatchObject({ extras: { page: "/vod" } });
    expect(second).not.toHaveProperty("session_uuid");
    expect(third).toMatchObject({ extras: { page: "/live" }, profile, session_uuid: "session-2" });
    expect(recordedEvents(world, "/datalake/session/")).toMatchObject([
      { profile, session: "session-1" },
      { profile, session: "session-2" },
    ]);
    expect(recordedEvents(world, "/datalake/session/")[1]).not.toHaveProperty("session_uuid");
    world.expectReplays();
  });

  it("continues after the clock was corrected by seconds (ANA-1)", async () => {
    const world = await measured();
    const { session } = world.state().analyticsSession as { readonly session: string };
    world.setClock(-3_000);
    visit(world, "/vod");
    await world.pass();
    expect(recordedEvents(world, "/datalake/event/").at(-1)).toMatchObject({ session_uuid: session });
    expect(recordedEvents(world, "/datalake/session/")).toHaveLength(1);
  });

  it("of a clock that was ahead isn't used once the clock is right, nor is the tracking value (ANA-1, NAV-6)", async () => {
    const world = await measured();
    world.script["api.getAnalyticsSession"] = () => "session-2";
    visit(world, "/", "flyer");
    await world.pass();
    world.setClock(-365 * DAY);
    visit(world, "/vod");
    await world.pass();
    expect(recordedEvents(world, "/datalake/event/").at(-1)).not.toHaveProperty("session_uuid");
    expect(recordedEvents(world, "/datalake/event/").at(-1)).not.toHaveProperty("trk");
    await world.reload();
    world.input("ui", analyticsActions.deviceKnown(device));
    await world.pass();
    expect(world.state().analyticsSession).toMatchObject({ session: "session-2", expiresAt: world.now() + DAY });
    world.expectReplays();
  });

  it("isn't requested on localhost, where recordings stay (ANA-3)", async () => {
    const world = await measured({}, { kept_here: true });
    visit(world, "/");
    await world.pass(60_000);
    expect(recordedEvents(world, "/datalake/event/")).toHaveLength(1);
    expect(world.calls("api.getAnalyticsSession")).toEqual([]);
    expect(world.state()).toMatchObject({ analyticsSession: { at: "none" }, analytics: { profile: null } });
    world.expectReplays();
  });

  it("is requested again after a failure", async () => {
    const world = await measured({ "api.getAnalyticsSession": away });
    const state = world.state().analyticsSession;
    if (state.at !== "failed") throw new Error(state.at);
    world.script["api.getAnalyticsSession"] = () => "session-1";
    await world.pass(state.retryAt - world.now());
    expect(world.state().analyticsSession.at).toBe("active");
    world.expectReplays();
  });
});

describe("a browser", () => {
  const asking = { "api.getBootstrap": () => rules({ consent: true }) };
  const profileOf = (world: TestWorld): string => {
    const { profile } = world.state().analytics;
    if (profile === null) throw new Error("nobody knows this browser");
    return profile;
  };

  it("has a key of its own, the same after a reload", async () => {
    const world = await measured();
    const profile = profileOf(world);
    expect(profile).toMatch(/^[0-9a-f-]{36}$/);
    await world.reload();
    world.input("ui", analyticsActions.deviceKnown(device));
    visit(world, "/");
    await world.pass();
    expect(world.calls("outbox.drainAnalytics").at(-1)?.session).toMatchObject({ profile });
    const { "yare-analytics": key } = settings();
    expect(profile).not.toBe(key);
    world.expectReplays();
  });

  it("has a different key from the next one", async () => {
    const open = async (ids: number): Promise<string> => {
      const world = await openViewerWorld({}, undefined, ids);
      world.input("ui", analyticsActions.deviceKnown(device));
      await world.pass();
      return profileOf(world);
    };
    expect(await open(0)).not.toBe(await open(1_000));
  });

  it.each([
    ["requires consent", asking, {}],
    ["sends Do-Not-Track", { "api.getBootstrap": () => rules({ respect_dnt: true }) }, { do_not_track: true }],
    ["is on localhost", {}, { kept_here: true as const }],
  ])("has no key if it %s (ANA-7)", async (_, script, parts) => {
    const world = await measured(script, parts);
    visit(world, "/");
    await world.pass(60_000);
    expect(world.state().analytics.profile).toBeNull();
    expect(world.calls("outbox.drainAnalytics").filter(({ session }) => session !== null)).toEqual([]);
  });

  it.each([
    ["here", (world: TestWorld) => world.ui(analyticsActions.consentRefused())],
    ["in another tab", (world: TestWorld) => receive(world, analyticsActions.consentRefused())],
  ])(
    "is forgotten when the viewer refuses %s, and gets another key and session when they consent again",
    async (_, refuse) => {
      const world = await measured(asking);
      world.ui(analyticsActions.consentGiven());
      await world.pass();
      const before = profileOf(world);
      refuse(world);
      await world.pass(60_000);
      expect(world.state().analytics.profile).toBeNull();
      expect(world.calls("api.getAnalyticsSession")).toHaveLength(1);
      world.script["api.getAnalyticsSession"] = () => "session-2";
      world.ui(analyticsActions.consentGiven());
      await world.pass();
      const profile = profileOf(world);
      expect(profile).not.toBe(before);
      expect(world.calls("outbox.drainAnalytics").at(-1)).toMatchObject({ session: { profile, session: "session-2" } });
      expect(recordedEvents(world, "/datalake/session/").map((told) => told.profile)).toEqual([before, profile]);
      world.expectReplays();
    },
  );
});

describe("a page", () => {
  it("is recorded as a visit, with the tracking value for 3 hours (NAV-5, NAV-6)", async () => {
    const world = await measured();
    visit(world, "/", "flyer");
    visit(world, "/vod");
    await world.pass(3 * 3_600_000);
    visit(world, "/live");
    await world.pass();
    expect(recordedEvents(world, "/datalake/event/")).toMatchObject([
      { event: "visit", user_id: 7, extras: { page: "/", previous: null }, trk: "flyer" },
      { event: "visit", extras: { page: "/vod", group: "home", previous: "/" }, trk: "flyer" },
      { event: "visit", extras: { page: "/live", previous: "/vod" } },
    ]);
    expect(recordedEvents(world, "/datalake/event/")[2]).not.toHaveProperty("trk");
    expect(world.calls("ui.tag")).toMatchObject([{ entry: { event: "page_view", page_path: "/" } }, {}, {}]);
    world.expectReplays();
  });

  it("opened before the channel's rules are loaded is recorded once they are, with its own time", async () => {
    let arrive: (bootstrap: Bootstrap) => void = () => undefined;
    const bootstrap = new Promise<Bootstrap>((resolve) => (arrive = resolve));
    const world = await openWorld({ "api.getBootstrap": () => bootstrap });
    world.input("ui", analyticsActions.deviceKnown(device));
    const opened = world.now();
    visit(world, "/", "flyer");
    await world.pass(3_000);
    expect(world.calls("outbox.put")).toEqual([]);
    visit(world, "/vod");
    arrive(tagged());
    await world.pass();
    const body = { trk: "flyer", user_id: null, origin_url: "http://northfield.test" };
    expect(world.calls("outbox.put").map(({ item }) => item)).toMatchObject([
      { at: opened, payload: { body: { ...body, extras: { page: "/", previous: null } } } },
      { at: opened + 3_000, payload: { body: { ...body, extras: { page: "/vod", previous: "/" } } } },
      { payload: { path: "/datalake/session/" } },
    ]);
    expect(world.calls("ui.tag")).toMatchObject([{ entry: { page_path: "/" } }, { entry: { page_path: "/vod" } }]);
    world.expectReplays();
  });

  it.each([
    ["is unknown", () => openWorld()],
    [
      "sends Do-Not-Track, which the channel respects",
      () => measured({ "api.getBootstrap": () => rules({ respect_dnt: true }) }, { do_not_track: true }),
    ],
    ["requires consent", () => measured({ "api.getBootstrap": () => rules({ consent: true }) })],
  ])("isn't recorded if the browser %s (ANA-7)", async (_, open) => {
    const world = await open();
    visit(world, "/");
    await world.pass();
    expect(world.calls("outbox.put")).toEqual([]);
    expect(world.calls("ui.tag")).toEqual([]);
    expect(world.calls("ui.openTagManager")).toEqual([]);
  });

  it("names a shared clip without the part of its address that opens it (CLIP-3)", async () => {
    const world = await measured();
    const page = {
      name: "share",
      path: "/share/7/0190a6e0-s3cret",
      params: { id: "7", uuid: "0190a6e0-s3cret" },
      query: {},
    };
    world.ui(navigationActions.pageOpened({ page, remembered: true, trk: null }));
    visit(world, "/vod");
    await world.pass();
    const pages = recordedEvents(world, "/datalake/event/").map(({ extras }) => extras);
    expect(pages).toMatchObject([{ page: "/share/7" }, { page: "/vod", previous: "/share/7" }]);
    const recordedText = JSON.stringify([pages, world.calls("ui.tag"), world.calls("outbox.put")]);
    expect(recordedText).not.toContain("s3cret");
  });

  it.each([
    ["the datalake has no key", () => withoutSetting("yare-analytics"), 0, 1],
    ["the tag manager has no container", () => withoutSetting("google-analytics"), 1, 0],
  ])("isn't recorded where %s, and is sent to the other", async (_, bootstrap, recorded, tags) => {
    const world = await measured({ "api.getBootstrap": bootstrap });
    visit(world, "/");
    await world.pass();
    expect(recordedEvents(world, "/datalake/event/")).toHaveLength(recorded);
    expect(world.calls("ui.tag")).toHaveLength(tags);
    expect(world.calls("ui.openTagManager")).toHaveLength(tags);
  });

  it("is recorded once the viewer consents, and waiting events are discarded on a refusal", async () => {
    const world = await measured({ "api.getBootstrap": () => rules({ consent: true }) });
    visit(world, "/");
    visit(world, "/vod");
    await world.pass();
    expect(recordedEvents(world, "/datalake/event/")).toEqual([]);
    // Recorded from then on: the page on which they consent, and everything after it.
    world.ui(analyticsActions.consentGiven());
    visit(world, "/live");
    await world.pass();
    const pages = () =>
      recordedEvents(world, "/datalake/event/").flatMap(({ event, extras }) =>
        event === "visit" ? [(extras as { page: string }).page] : [],
      );
    expect(pages()).toEqual(["/vod", "/live"]);
    world.ui(analyticsActions.consentRefused());
    visit(world, "/");
    await world.pass();
    expect(pages()).toEqual(["/vod", "/live"]);
    expect(world.calls("outbox.forget")).toEqual([{ kind: "analytics" }]);
    world.expectReplays();
  });

  it("closed during a refusal leaves the discarding to the next one (ANA-7)", async () => {
    const world = await measured({ "outbox.forget": silence });
    world.ui(analyticsActions.consentRefused());
    await world.pass();
    world.script["outbox.forget"] = () => null;
    await world.reload();
    expect(world.calls("outbox.forget")).toHaveLength(2);
    world.ui(analyticsActions.consentGiven());
    await world.reload();
    expect(world.calls("outbox.forget")).toHaveLength(2);
    world.expectReplays();
  });

  it("closed during a refusal leaves it to the tab that follows it", async () => {
    const world = await measured({ "outbox.forget": silence });
    world.ui(analyticsActions.consentRefused());
    await world.reload((state) => ({ ...state, tabs: { ...state.tabs, leads: false } }));
    expect(world.calls("outbox.forget")).toHaveLength(1);
    lead(world);
    expect(world.calls("outbox.forget")).toHaveLength(2);
  });
});

describe("the tag manager", () => {
  it("is loaded once per page, with the channel's container (ANA-5)", async () => {
    const world = await measured();
    visit(world, "/");
    visit(world, "/vod");
    await world.pass();
    expect(world.calls("ui.openTagManager")).toEqual([{ container: CONTAINER }]);
    await world.reload();
    expect(world.calls("ui.openTagManager")).toHaveLength(2);
    world.expectReplays();
  });

  it("isn't loaded before the viewer consents, here or in another tab (ANA-7)", async () => {
    const asking = () => tagged({ analytics: { consent: true, respect_dnt: false } });
    const world = await measured({ "api.getBootstrap": asking });
    expect(world.calls("ui.openTagManager")).toEqual([]);
    receive(world, analyticsActions.consentGiven());
    await world.pass();
    expect(world.calls("ui.openTagManager")).toEqual([{ container: CONTAINER }]);
    expect(world.state().analyticsSession.at).toBe("active");
    world.expectReplays();
  });

  it("is removed by a reload when the viewer withdraws consent", async () => {
    const asking = () => tagged({ analytics: { consent: true, respect_dnt: false } });
    const world = await measured({ "api.getBootstrap": asking });
    world.ui(analyticsActions.consentGiven());
    await world.pass();
    expect(world.calls("ui.reload")).toEqual([]);
    world.ui(analyticsActions.consentRefused());
    await world.pass();
    expect([world.calls("storage.flush").length, world.calls("ui.reload").length]).toEqual([1, 1]);
    world.expectReplays();
    await world.reload();
    expect(world.calls("ui.openTagManager")).toHaveLength(1);
  });

  it("receives a sale in its own format, with decimal money", async () => {
    const world = await measured({
      "api.buy": () => anOrder({ status: "paid", base_price: 1000, discount: 250, service_fee: 59 }),
    });
    world.ui(purchaseActions.opened());
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    const { extras } = recordedEvents(world, "/datalake/event/").find(({ event }) => event === "purchase") as {
      extras: object;
    };
    expect(extras).toMatchObject({
      value: 809,
      tax: 59,
      discount: 250,
      currency: "USD",
      items: [{ base_price: 1000 }],
    });
    const { entry } = world.calls("ui.tag").at(-1) as { entry: object };
    expect(entry).toMatchObject({
      event: "purchase",
      ecommerce: {
        value: 8.09,
        tax: 0.59,
        currency: "USD",
        items: [{ price: 7.5, discount: 2.5, quantity: 1 }],
      },
    });
    world.expectReplays();
  });
});

const rules = (parts: { consent?: boolean; respect_dnt?: boolean }) =>
  aBootstrap({ settings: settings({ analytics: { consent: false, respect_dnt: false, ...parts } }) });
