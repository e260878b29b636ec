import { describe, expect, it } from "vitest";
import { analyticsActions } from "../slices/analytics";
import { connectionInputs } from "../slices/connection";
import { favouritesActions } from "../slices/favourites";
import { analyticsOutboxActions } from "../slices/outbox";
import { queryActions } from "../slices/queries";
import { anEvent } from "./testing/resources";
import { away, cachedFrom, openViewerWorld, silence, type TestWorld } from "./testing/world";

const heartPressed = () => favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" });

describe("analytics in the outbox", () => {
  const device = {
    device_type: "desktop",
    user_agent: "Test/1.0",
    resolution: "1280x720",
    origin_url: "http://northfield.test",
    do_not_track: false,
  };
  const hearts = (world: TestWorld) => world.calls("outbox.drain").length;
  const events = (world: TestWorld) => world.calls("outbox.drainAnalytics").length;

  it.each([
    ["are refused", away],
    ["get no answer", silence],
    ["are told to wait five minutes", () => ({ left: 1, retry_after_ms: 300_000 })],
  ])("that %s don't block favourites, and aren't retried sooner for one", async (_, stuck) => {
    const world = await openViewerWorld({ "outbox.drainAnalytics": stuck });
    await world.pass(60_000);
    const before = { hearts: hearts(world), events: events(world) };
    const state = world.state().analyticsOutbox;
    world.ui(heartPressed());
    await world.pass();
    expect([hearts(world) - before.hearts, events(world) - before.events]).toEqual([1, 0]);
    expect(world.state().analyticsOutbox).toEqual(state);
    expect(world.state().outbox.run).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("waiting for a retry aren't retried sooner for a new event", async () => {
    const world = await openViewerWorld({ "outbox.drainAnalytics": () => ({ left: 1, retry_after_ms: 300_000 }) });
    await world.pass();
    const before = events(world);
    world.input("storage", analyticsOutboxActions.nudged());
    await world.pass(299_999);
    expect(events(world)).toBe(before);
    await world.pass(1);
    expect(events(world)).toBe(before + 1);
    world.expectReplays();
  });

  it("on a reloaded page restart their round once", async () => {
    const world = await openViewerWorld({ "outbox.drainAnalytics": silence });
    world.input("storage", analyticsOutboxActions.nudged());
    expect(world.state().analyticsOutbox).toMatchObject({ at: "draining", again: true });
    world.script["outbox.drainAnalytics"] = () => ({ left: 0, retry_after_ms: null });
    const before = events(world);
    await world.reload();
    expect(events(world) - before).toBe(1);
    expect(world.state().analyticsOutbox).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("waiting for a session go as soon as there is one", async () => {
    const world = await openViewerWorld({
      "outbox.drainAnalytics": ({ session }) => ({ left: session === null ? 1 : 0, retry_after_ms: null }),
    });
    expect(world.state().analyticsOutbox).toMatchObject({ at: "waiting" });
    world.input("ui", analyticsActions.deviceKnown(device));
    await world.pass();
    expect(world.calls("outbox.drainAnalytics").at(-1)).toMatchObject({ session: { session: "session-1" } });
    expect(world.state().analyticsOutbox).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("that wait go as soon as the socket is welcomed or a read is answered, and not on a cached answer", async () => {
    const world = await openViewerWorld({ "outbox.drainAnalytics": away, "sync.connect": away, "api.getEvent": away });
    // Each wait is random: after this time the next attempt may be minutes away.
    await world.pass(10 * 60_000);
    const wait = async (): Promise<number> => {
      while (world.state().analyticsOutbox.at !== "waiting") await world.pass(1_000);
      return events(world);
    };
    let before = await wait();
    world.script["api.getEvent"] = () => anEvent();
    world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 100 } }));
    await world.pass();
    expect(events(world)).toBe(before + 1);

    before = await wait();
    world.script["api.getEvent"] = cachedFrom(() => world, anEvent());
    world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 101 } }));
    await world.pass();
    expect(events(world)).toBe(before);

    world.script["sync.connect"] = () => ({ epoch: "e1", channel_seq: 1, mode: "resumed", ping_ms: 25_000 });
    world.script["outbox.drainAnalytics"] = () => ({ left: 0, retry_after_ms: null });
    world.input("ui", connectionInputs.cameBack());
    await world.pass();
    expect(world.state().connection.at).toBe("live");
    expect(world.state().analyticsOutbox).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("observe the wait requested by the server, whatever else it answers", async () => {
    const world = await openViewerWorld({
      "outbox.drainAnalytics": () => ({ left: 1, retry_after_ms: 300_000 }),
      "api.getEvent": () => anEvent(),
    });
    await world.pass();
    const before = events(world);
    world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 100 } }));
    await world.pass();
    expect(events(world)).toBe(before);
    world.expectReplays();
  });
});
