import { describe, expect, it } from "vitest";
import { COUNT_PATH } from "../contracts/outbox";
import { analyticsActions, selectAnalyticsIdentity, viewerActed } from "../slices/analytics";
import { measured, recordedEvents, tagged, withoutSetting } from "./testing/analyticsWorld";
import { receive, resign } from "./testing/tabs";
import type { TestWorld } from "./testing/world";

const asking = { "api.getBootstrap": () => tagged({ analytics: { consent: true, respect_dnt: true } }) };
const searched = viewerActed({ event: "searched", extras: { query: "final", results: 3 } });
const eventNames = (world: TestWorld) =>
  recordedEvents(world, "/datalake/event/").flatMap(({ event }) => (event === "visit" ? [] : [event]));
const counts = (world: TestWorld) => recordedEvents(world, COUNT_PATH);

describe("what a viewer does", () => {
  it.each([
    searched,
    viewerActed({ event: "clip_shared", extras: { clip_id: "7" } }),
    viewerActed({ event: "cancellation_opened", extras: { subscription_id: "1" } }),
  ])("is recorded with its details ($payload.event, ANA-15)", async (action) => {
    const world = await measured();
    world.ui(action);
    await world.pass();
    const { profile } = world.state().analytics;
    expect(recordedEvents(world, "/datalake/event/")).toMatchObject([
      { ...action.payload, profile, session_uuid: "session-1", user_id: 7 },
    ]);
    expect(counts(world)).toEqual([]);
    world.expectReplays();
  });

  it("names its browser only while analytics may be sent (ANA-7)", async () => {
    const world = await measured({
      "api.getBootstrap": () => tagged({ analytics: { consent: false, respect_dnt: true } }),
    });
    await world.pass();
    const state = world.state();
    expect(selectAnalyticsIdentity(state)).toMatchObject({ session: "session-1" });
    const { device } = state.analytics;
    const objecting = device && { ...device, do_not_track: true };
    expect(selectAnalyticsIdentity({ ...state, analytics: { ...state.analytics, device: objecting } })).toBeNull();
  });

  it.each([
    ["wasn't asked", asking, {}],
    ["sends Do-Not-Track", asking, { do_not_track: true }],
  ])("is only counted if the viewer %s (ANA-14)", async (_, script, parts) => {
    const world = await measured(script, parts);
    world.ui(searched);
    await world.pass();
    expect(world.calls("outbox.put").map(({ item }) => item)).toEqual([
      expect.objectContaining({ kind: "analytics", payload: { path: COUNT_PATH, body: { event: "searched" } } }),
    ]);
    expect(world.calls("outbox.put")[0]?.item).not.toHaveProperty("user_id");
    // The sender goes ahead without a session.
    expect(world.calls("outbox.drainAnalytics").at(-1)).toEqual({ session: null });
    world.expectReplays();
  });

  it.each([
    ["the channel has no analytics", { "api.getBootstrap": () => withoutSetting("yare-analytics") }, {}],
    ["it happens on localhost (ANA-3)", asking, { kept_here: true as const }],
  ])("is not counted if %s", async (_, script, parts) => {
    const world = await measured(script, parts);
    world.ui(searched);
    await world.pass();
    expect(counts(world)).toEqual([]);
  });
});

describe("the answer to the consent question", () => {
  it("is recorded if it is yes, and counted after the discarding if it is no (ANA-14, ANA-15)", async () => {
    const world = await measured(asking);
    world.ui(analyticsActions.consentGiven());
    await world.pass();
    expect(eventNames(world)).toEqual(["consent_given"]);
    world.ui(analyticsActions.consentRefused());
    await world.pass();
    expect(counts(world)).toEqual([{ event: "consent_refused" }]);
    expect(eventNames(world)).toEqual(["consent_given"]);
    world.expectReplays();
  });

  it("given in another tab is recorded by the leader alone", async () => {
    const world = await measured(asking);
    receive(world, analyticsActions.consentGiven());
    await world.pass();
    expect(eventNames(world)).toEqual(["consent_given"]);
    receive(world, analyticsActions.consentRefused());
    await world.pass();
    expect(counts(world)).toEqual([{ event: "consent_refused" }]);
    resign(world);
    world.ui(analyticsActions.consentGiven());
    world.ui(analyticsActions.consentRefused());
    await world.pass();
    expect(eventNames(world)).toEqual(["consent_given"]);
    expect(counts(world)).toHaveLength(1);
  });
});
