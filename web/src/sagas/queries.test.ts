import { describe, expect, it } from "vitest";
import { connectionInputs } from "../slices/connection";
import { selectEventList } from "../slices/events";
import { FRESH_FOR, type Query, queryActions, queryKey, selectQuery } from "../slices/queries";
import { siteActions } from "../slices/site";
import { startupActions } from "../slices/startup";
import { tabActions } from "../slices/tabs";
import { REREAD_WINDOW } from "./eventLists";
import { site } from "./testing/analyticsWorld";
import { anEvent } from "./testing/resources";
import { receive } from "./testing/tabs";
import { away, cachedFrom, openWorld, refusing, silence } from "./testing/world";

const event: Query = { method: "api.getEvent", args: { id: 100 } };
const list: Query = { method: "api.listEvents", args: { filter: { stream_status: "live" } } };
const listing = (version = 1) => ({
  data: [anEvent({ version, has_access: false })],
  meta: { total: 1, limit: 1, offset: 0 },
});

describe("the screens' data", () => {
  it("is read once for all components, and aborted when the last one stops", async () => {
    const world = await openWorld({ "api.getEvent": silence });
    world.ui(queryActions.wanted(event));
    world.ui(queryActions.wanted(event));
    await world.pass();
    expect(world.calls("api.getEvent")).toHaveLength(1);
    world.ui(queryActions.left(event));
    expect(selectQuery(event)(world.state()).at).toBe("loading");
    world.ui(queryActions.left(event));
    expect(world.state().queries).toEqual({});
    expect(world.actions("queries/aborted")).toHaveLength(1);
    world.expectReplays();
  });

  it("is still read after a start-up that follows the first screen, and ends with the page", async () => {
    const world = await openWorld({ "api.getEvent": away });
    world.ui(queryActions.wanted(event));
    world.input("storage", startupActions.began({ shown: true }));
    await world.pass();
    expect(selectQuery(event)(world.state()).at).toBe("failed");
    world.input("ui", siteActions.opened(site));
    expect(world.state().queries).toEqual({});
  });

  it("has the same key however its filter was put together", () => {
    const one: Query = { method: "api.listEvents", args: { filter: { sport: "hockey", city: "Northfield" } } };
    const other: Query = { method: "api.listEvents", args: { filter: { city: "Northfield", sport: "hockey" } } };
    expect(queryKey(one)).toBe(queryKey(other));
    expect(queryKey(one)).not.toBe(queryKey(list));
  });

  it("is fresh for a minute if it is a list, and revalidated if it is the viewer's (LIM-3)", async () => {
    const world = await openWorld({ "api.listEvents": () => listing(), "api.getEvent": () => anEvent() });
    const visit = async () => {
      for (const query of [list, event]) world.ui(queryActions.wanted(query));
      await world.pass();
      for (const query of [list, event]) world.ui(queryActions.left(query));
    };
    await visit();
    await world.pass(59_000);
    await visit();
    expect([world.calls("api.listEvents").length, world.calls("api.getEvent").length]).toEqual([1, 2]);
    await world.pass(1_000);
    await visit();
    expect(world.calls("api.listEvents")).toHaveLength(2);
    world.expectReplays();
  });

  it("shows a failure, and is read again by a button or once online", async () => {
    const world = await openWorld({ "api.getEvent": away });
    world.ui(queryActions.wanted(event));
    await world.pass();
    expect(selectQuery(event)(world.state())).toMatchObject({ at: "failed", error: { code: "network" } });
    world.ui(queryActions.retryPressed(event));
    await world.pass();
    world.script["api.getEvent"] = () => anEvent();
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.calls("api.getEvent")).toHaveLength(3);
    expect(selectQuery(event)(world.state())).toMatchObject({ at: "loaded", error: null });
    world.expectReplays();
  });

  it("is read again when the socket is welcomed, unless the channel refused it for good", async () => {
    const refused: Query = { method: "api.getEvent", args: { id: 101 } };
    const world = await openWorld({
      "api.getEvent": ({ id }) => (id === 101 ? refusing(404, "Not found", "not_found")() : away()),
      "sync.connect": away,
    });
    for (const query of [event, refused]) world.ui(queryActions.wanted(query));
    await world.pass();
    world.script["api.getEvent"] = () => anEvent();
    world.script["sync.connect"] = () => ({ epoch: "e1", channel_seq: 1, mode: "resumed", ping_ms: 25_000 });
    const before = world.calls("api.getEvent").length;
    await world.pass(60_000);
    expect(world.state().connection.at).toBe("live");
    expect(world.calls("api.getEvent")).toHaveLength(before + 1);
    expect(selectQuery(event)(world.state()).at).toBe("loaded");
    expect(selectQuery(refused)(world.state()).at).toBe("failed");
    world.expectReplays();
  });

  it("is read again once online if it failed, however fresh its copy", async () => {
    const world = await openWorld({ "api.getEvent": () => anEvent() });
    world.ui(queryActions.wanted(event));
    await world.pass();
    world.ui(queryActions.left(event));
    world.script["api.getEvent"] = away;
    world.ui(queryActions.wanted(event));
    await world.pass(20_000);
    expect(selectQuery(event)(world.state()).at).toBe("failed");
    world.script["api.getEvent"] = () => anEvent();
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(selectQuery(event)(world.state()).at).toBe("loaded");
    world.expectReplays();
  });

  it("is read again after a cached answer, as soon as the channel answers", async () => {
    const world = await openWorld();
    world.script["api.getEvent"] = cachedFrom(() => world, anEvent({ has_access: false }));
    world.ui(queryActions.wanted(event));
    await world.pass();
    expect(world.state().events.byId[100]?.has_access).toBe(false);
    world.script["api.getEvent"] = () => anEvent({ has_access: true });
    await world.pass(30_000);
    expect(world.state().events.byId[100]?.has_access).toBe(true);
    expect(world.state().startup).toMatchObject({ at: "ready", stale: false });
    world.input("api", startupActions.wentStale());
    await world.pass(600_000);
    expect(world.calls("api.getEvent")).toHaveLength(2);
    world.expectReplays();
  });

  it("isn't fresh after a cached answer", async () => {
    const world = await openWorld();
    world.script["api.listEvents"] = cachedFrom(() => world, listing());
    const visit = async () => {
      world.ui(queryActions.wanted(list));
      await world.pass();
      world.ui(queryActions.left(list));
    };
    await visit();
    await visit();
    expect(world.calls("api.listEvents")).toHaveLength(2);
    world.expectReplays();
  });

  it("is reread when another tab reports it as stale", async () => {
    const world = await openWorld({ "api.getEvent": () => anEvent() });
    world.ui(queryActions.wanted(event));
    await world.pass();
    receive(world, queryActions.invalidated());
    await world.pass();
    expect(world.calls("api.getEvent")).toHaveLength(2);
    world.expectReplays();
  });
});

describe("an event in the stream", () => {
  const status = (version: number) =>
    connectionInputs.statusReceived({
      stream: "channel",
      seq: version,
      kind: "event",
      id: 100,
      version,
      state: anEvent({
        stream_status: "finished",
        score: { away: 50, home: 52, period: "Final" },
        version,
        has_access: false,
        media: [],
      }),
    });

  it("changes its status and not this viewer's access, and an older answer doesn't revert it", async () => {
    const mine = anEvent({ has_access: true, media: [{ id: 900, type: 2, url: "/live", duration_s: 0 }] });
    let answer: (event: ReturnType<typeof anEvent>) => void = () => undefined;
    const world = await openWorld({ "api.getEvent": () => mine });
    world.ui(queryActions.wanted(event));
    await world.pass();
    world.script["api.getEvent"] = () => new Promise((resolve) => (answer = resolve));
    world.input("sync", status(5));
    expect(world.state().events.byId[100]).toMatchObject({ stream_status: "finished", has_access: true });
    await world.pass();
    answer(mine);
    await world.pass();
    expect(world.state().events.byId[100]).toMatchObject({ stream_status: "finished", version: 5, has_access: true });
    expect(world.calls("api.getEvent")).toHaveLength(2);
    world.input("sync", status(4));
    expect(world.state().events.byId[100]).toMatchObject({ version: 5, score: { away: 50, home: 52 } });
    world.expectReplays();
  });
});

describe("an event that changes its status (EVENT-7)", () => {
  const lists = (["live", "upcoming"] as const).map(
    (stream_status): Query => ({ method: "api.listEvents", args: { filter: { stream_status } } }),
  );
  const started = (score?: { away: number; home: number; period: string }) =>
    connectionInputs.statusReceived({
      stream: "channel",
      seq: 2,
      kind: "event",
      id: 100,
      version: 2,
      state: anEvent({ stream_status: "live", version: 2, ...(score && { score }) }),
    });
  const open = async () => {
    let live: readonly ReturnType<typeof anEvent>[] = [];
    const of = (data: readonly ReturnType<typeof anEvent>[]) => ({
      data: [...data],
      meta: { total: data.length, limit: 48, offset: 0 },
    });
    const world = await openWorld({
      "api.listEvents": ({ filter: { stream_status } }) =>
        of(stream_status === "live" ? live : live.length > 0 ? [] : [anEvent({ stream_status: "upcoming" })]),
    });
    for (const query of lists) world.ui(queryActions.wanted(query));
    await world.pass();
    live = [anEvent({ stream_status: "live", version: 2 })];
    return world;
  };

  it("is reread once into the page's lists within seconds; a score moves it nowhere", async () => {
    const world = await open();
    world.input("sync", started());
    await world.pass(REREAD_WINDOW);
    expect(world.calls("api.listEvents")).toHaveLength(4);
    expect(selectEventList({ stream_status: "live" })(world.state())?.ids).toEqual([100]);
    world.input("sync", started({ away: 1, home: 0, period: "1st" }));
    await world.pass(REREAD_WINDOW);
    expect(world.calls("api.listEvents")).toHaveLength(4);
    world.expectReplays();
  });

  it("waits for a hidden page, whose lists are also reread as soon as they are stale", async () => {
    const world = await open();
    world.input("ui", tabActions.visibilityChanged({ visible: false }));
    world.input("sync", started());
    await world.pass(2 * REREAD_WINDOW);
    expect(world.calls("api.listEvents")).toHaveLength(2);
    world.input("ui", tabActions.visibilityChanged({ visible: true }));
    world.input("ui", connectionInputs.cameBack());
    await world.pass();
    expect(world.calls("api.listEvents")).toHaveLength(4);
    await world.pass(FRESH_FOR);
    world.input("ui", connectionInputs.cameBack());
    await world.pass();
    expect(world.calls("api.listEvents")).toHaveLength(6);
    world.expectReplays();
  });
});
