import { describe, expect, it } from "vitest";
import { analyticsActions } from "../slices/analytics";
import { favouritesActions } from "../slices/favourites";
import { analyticsOutboxActions } from "../slices/outbox";
import { away, openViewerWorld, silence, type TestWorld } from "./testing/world";

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
    ["are asked to wait five minutes", () => ({ left: 1, retry_after_ms: 300_000 })],
  ])("that %s hold up no favourite, and are not tried sooner for one", async (_, stuck) => {
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

  it("that wait to be tried again are not tried sooner for one event more", async () => {
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

  it("of a page that was loaded anew in the middle begin their round anew, and make no second one of it", async () => {
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

  it("that waited for a session go as soon as there is one", async () => {
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
});
