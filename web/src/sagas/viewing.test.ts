import { describe, expect, it } from "vitest";
import type { AnalyticsItem } from "../contracts/outbox";
import { type Playable, playerActions } from "../slices/player";
import { prerollActions, spotQuarterReached } from "../slices/preroll";
import { device, measured, recordedEvents } from "./testing/analyticsWorld";
import { aBootstrap, anEvent, aPreroll, aSchool, settings } from "./testing/resources";
import type { TestWorld } from "./testing/world";

describe("playback quality", () => {
  it("is recorded report by report under the video's viewing, including the one as the viewer leaves", async () => {
    const world = await measured({ "api.getEvent": () => anEvent() });
    world.ui(playerActions.opened({ kind: "event", id: 100, stream_id: 900, stream_type: "live" }));
    world.ui(playerActions.reported({ sn: 0, e: "ps", sta: "s", keys: { v: 2 } }));
    await world.pass(1_000);
    world.ui(playerActions.reported({ sn: 1, e: "ps", sta: "p", keys: { v: 2, msd: 412 } }));
    world.ui(playerActions.reported({ sn: 2, e: "ps", sta: "q", keys: { v: 2, msd: 412, bsa: [1] } }));
    world.ui(playerActions.closed());
    await world.pass(1_000);
    world.ui(playerActions.reported({ sn: 3, e: "t", sta: "p", keys: {} }));
    await world.pass(1_000);
    const reports = recordedEvents(world, "/datalake/cmcd/");
    expect(reports.map(({ sn, sta }) => [sn, sta])).toEqual([
      [0, "s"],
      [1, "p"],
      [2, "q"],
    ]);
    const [opened] = recordedEvents(world, "/datalake/video/event/");
    for (const report of reports)
      expect(report).toMatchObject({
        sid: opened?.video_view_uuid,
        stream_id: "900",
        stream_type: "live",
        content_type: "event",
        content_id: "100",
      });
    expect(reports[2]?.keys).toEqual({ v: 2, msd: 412, bsa: [1] });
  });
});

describe("a video", () => {
  const view: Playable = { kind: "event", id: 100, stream_id: 900, stream_type: "live" };

  it("is recorded by its moments, under one viewing, and by the seconds it played", async () => {
    const school = aSchool();
    const home = {
      id: 21,
      name: "Rams",
      short_name: "RAM",
      alias: "rams",
      images: [],
      color: "#000000",
      group_id: school.id,
      properties: { gender: "male", sport: "basketball" },
    };
    const world = await measured({
      "api.getEvent": () => anEvent({ home_team_id: 21, participants: [home] }),
      "api.getBootstrap": () => aBootstrap({ "participant-groups": [school] }),
    });
    world.ui({ type: "queries/wanted", payload: { method: "api.getEvent", args: { id: 100 } } });
    await world.pass();
    world.ui(playerActions.opened(view));
    await world.pass(2_000);
    world.ui(playerActions.firstFrameShown({ position: 0 }));
    await world.pass(45_000);
    world.ui(playerActions.paused({ position: 45 }));
    await world.pass(60_000);
    world.ui(playerActions.played({ position: 45 }));
    await world.pass(5_000);
    world.ui(playerActions.closed());
    await world.pass(60_000);
    const moments = recordedEvents(world, "/datalake/video/event/");
    expect(moments.map(({ event }) => event)).toEqual(["opened", "first_frame_shown", "paused", "played", "closed"]);
    expect(new Set(moments.map(({ video_view_uuid }) => video_view_uuid)).size).toBe(1);
    const content = { content_type: "event", content_id: "100", content_event_id: "100" };
    for (const moment of moments) expect(moment).toMatchObject(content);
    expect(recordedEvents(world, "/datalake/video/viewing/")).toMatchObject([
      {
        viewing_time: 30,
        category: "Men's",
        sport: "basketball",
        gender: "male",
        school: "Ram High",
        league: "East",
        video_view_uuid: moments[0]?.video_view_uuid,
        ...content,
      },
      { viewing_time: 15 },
      { viewing_time: 5 },
    ]);
    const bodies = world.calls("outbox.put").map(({ item }) => (item as AnalyticsItem).payload.body);
    expect(new Set(bodies.map(({ origin_url }) => origin_url))).toEqual(new Set([device.origin_url]));
    world.expectReplays();
  });
});

describe("the seconds of a video", () => {
  it("add up to the time played, however it was interrupted, while storing takes time", async () => {
    const world = await measured();
    const viewing = (): number[] =>
      recordedEvents(world, "/datalake/video/viewing/").map(({ viewing_time }) => viewing_time as number);
    world.script["outbox.put"] = () => new Promise(() => undefined);
    world.ui(playerActions.opened({ kind: "vod", id: 5, stream_id: 901, stream_type: "vod" }));
    world.ui(playerActions.firstFrameShown({ position: 0 }));
    for (let stretch = 0; stretch < 10; stretch += 1) {
      await world.pass(1_400);
      world.ui(playerActions.stalled({ position: stretch }));
      await world.pass(700);
      world.ui(playerActions.played({ position: stretch }));
    }
    await world.pass(6_000);
    world.ui(playerActions.closed());
    await world.pass();
    expect(viewing().reduce((sum, seconds) => sum + seconds, 0)).toBe(20);
  });
});

describe("a video on a page that is left", () => {
  it("is recorded up to its position, and continues if the page stays", async () => {
    const world = await measured();
    world.ui(playerActions.opened({ kind: "vod", id: 5, stream_id: 901, stream_type: "vod" }));
    world.ui(playerActions.firstFrameShown({ position: 0 }));
    await world.pass(12_000);
    world.input("ui", playerActions.pageLeft());
    await world.pass(30_000);
    expect(recordedEvents(world, "/datalake/video/viewing/")).toMatchObject([
      { viewing_time: 12 },
      { viewing_time: 30 },
    ]);
    world.expectReplays();
  });
});

describe("a preroll before a video", () => {
  const view: Playable = { kind: "event", id: 100, stream_id: 900, stream_type: "live" };
  const target = { event_id: 100, event_category_id: 11, location_id: 3, media: "live" } as const;
  const spots = () => aBootstrap({ settings: settings({ prerolls: [aPreroll({ id: 80 })] }) });
  const recordedPrerolls = (world: TestWorld) =>
    recordedEvents(world, "/datalake/video/event/").filter(({ stream_type }) => stream_type === "preroll");

  async function spot(): Promise<TestWorld> {
    const world = await measured({ "api.getBootstrap": spots });
    world.ui(prerollActions.wanted(target));
    world.ui(prerollActions.firstFrameShown());
    await world.pass(5_000);
    return world;
  }

  it("is recorded by its first frame, its quarters and its end, under the video's own viewing", async () => {
    const world = await spot();
    for (const quarter of [25, 50, 75] as const) world.ui(spotQuarterReached({ quarter }));
    world.ui(prerollActions.ended({ how: "played" }));
    await world.pass();
    world.ui(playerActions.opened(view));
    await world.pass();
    const moments = recordedEvents(world, "/datalake/video/event/");
    expect(moments).toMatchObject([
      { event: "preroll_started", stream_id: "80", stream_type: "preroll", content_type: "event", content_id: "100" },
      { event: "preroll_first_quartile", stream_id: "80", stream_type: "preroll" },
      { event: "preroll_midpoint", stream_id: "80", stream_type: "preroll" },
      { event: "preroll_third_quartile", stream_id: "80", stream_type: "preroll" },
      { event: "preroll_ended", stream_id: "80", stream_type: "preroll", content_type: "event", content_id: "100" },
      { event: "opened", stream_id: "900", stream_type: "live" },
    ]);
    expect(new Set(moments.map(({ video_view_uuid }) => video_view_uuid)).size).toBe(1);
    world.ui(playerActions.opened(view));
    await world.pass();
    expect(recordedEvents(world, "/datalake/video/event/").at(-1)?.video_view_uuid).not.toBe(
      moments[0]?.video_view_uuid,
    );
    world.expectReplays();
  });

  it.each([
    [
      "breaks says why",
      prerollActions.ended({ how: "broken", code: "answer_404" }),
      [{ event: "preroll_failed", extras: { code: "answer_404" } }],
    ],
    ["is skipped says so", prerollActions.ended({ how: "skipped" }), [{ event: "preroll_skipped", extras: {} }]],
    ["is left says nothing more", prerollActions.left(), []],
  ])("that %s, and has no last frame", async (_, over, more) => {
    const world = await spot();
    world.ui(over);
    await world.pass();
    const events = recordedPrerolls(world).map(({ event, extras }) => ({ event, extras }));
    expect(events).toEqual([{ event: "preroll_started", extras: {} }, ...more]);
    world.expectReplays();
  });

  it("without a first frame failed, and nothing else is recorded of it", async () => {
    const world = await measured({ "api.getBootstrap": spots });
    world.ui(prerollActions.wanted(target));
    await world.pass(60_000);
    expect(recordedPrerolls(world)).toMatchObject([{ event: "preroll_failed", extras: { code: "timeout" } }]);
    world.expectReplays();
  });

  it("that another tab shows isn't recorded here", async () => {
    const world = await measured({ "api.getBootstrap": spots });
    world.ui(prerollActions.wanted(target));
    world.ui(prerollActions.ended({ how: "skipped" }));
    await world.pass(60_000);
    expect(recordedPrerolls(world)).toEqual([]);
  });
});
