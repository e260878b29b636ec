import { describe, expect, it } from "vitest";
import type { Preroll } from "../contracts/resources";
import type { PrerollTarget } from "../machines/preroll";
import { prerollActions, prerollRecordActions } from "../slices/preroll";
import { aBootstrap, aPreroll, aProfile, settings } from "./testing/resources";
import { receive } from "./testing/tabs";
import { openWorld, type Script, silence, viewer } from "./testing/world";

const HOUR = 3_600_000;
const target: PrerollTarget = { event_id: 100, event_category_id: 11, location_id: 3, media: "live" };

const open = (prerolls: Preroll[], script: Script = {}, drawn = 0.5) =>
  openWorld(
    { "sync.connect": silence, "api.getBootstrap": () => aBootstrap({ settings: settings({ prerolls }) }), ...script },
    () => drawn,
  );

describe("a preroll", () => {
  it.each([
    ["of another location", { location_id: 4 }],
    ["of another branch of the category tree", { event_categories: [2] }],
    ["for videos on demand only", { for_live: false }],
    ["of weight 0", { weight: 0 }],
  ])("%s isn't shown", async (_, parts) => {
    const world = await open([aPreroll(parts)]);
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll).toMatchObject({ at: "done" });
    world.expectReplays();
  });

  it.each([
    ["of its location", { location_id: 3 }],
    ["of a category above the event's", { event_categories: [1] }],
    ["of everything", {}],
  ])("%s is shown", async (_, parts) => {
    const world = await open([aPreroll(parts)]);
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll).toMatchObject({ at: "playing", prerollId: 80, url: "/media/preroll/80.m3u8" });
  });

  it.each([
    [0, 1],
    [0.249, 1],
    [0.25, 2],
    [0.999, 2],
  ])("is drawn by weight: %f gives number %i", async (drawn, id) => {
    const world = await open([aPreroll({ id: 1, weight: 1 }), aPreroll({ id: 2, weight: 3 })], {}, drawn);
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll).toMatchObject({ at: "playing", prerollId: id });
  });

  it("is skipped if another tab shows it first (PRE-3)", async () => {
    const world = await open([aPreroll()]);
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll.at).toBe("playing");
    const elsewhere = (event_id: number) => {
      const showing = {
        viewer: "anonymous",
        event_id,
        preroll_id: 80,
        at: world.now(),
        expires_at: world.now() + HOUR,
      };
      receive(world, prerollRecordActions.recorded(showing));
    };
    elsewhere(101);
    expect(world.state().preroll.at).toBe("playing");
    elsewhere(100);
    expect(world.state().preroll.at).toBe("done");
    world.expectReplays();
  });

  it("counts from its first frame for one hour, for this event alone (PRE-3)", async () => {
    const world = await open([aPreroll()]);
    const watch = (parts: Partial<PrerollTarget> = {}) => world.ui(prerollActions.wanted({ ...target, ...parts }));
    watch();
    world.ui(prerollActions.left());
    watch();
    expect(world.state().preroll.at).toBe("playing");
    world.ui(prerollActions.firstFrameShown());
    world.ui(prerollActions.ended({ how: "played" }));
    expect(world.state().preroll.at).toBe("done");
    watch();
    expect(world.state().preroll).toMatchObject({ at: "suppressed", reason: "seen" });
    watch({ event_id: 101 });
    expect(world.state().preroll.at).toBe("playing");
    await world.pass(HOUR - 1);
    await world.reload();
    watch();
    expect(world.state().preroll.at).toBe("suppressed");
    await world.pass(1);
    watch();
    expect(world.state().preroll.at).toBe("playing");
    world.expectReplays();
  });

  it("isn't shown to a viewer without ads", async () => {
    const world = await open([aPreroll()], viewer(aProfile({ capabilities: ["NO_ADS"] })));
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll).toMatchObject({ at: "suppressed", reason: "no_ads" });
    world.expectReplays();
  });

  it("without a first frame times out, and doesn't count as seen", async () => {
    const world = await open([aPreroll()]);
    world.ui(prerollActions.wanted(target));
    await world.pass(9_999);
    expect(world.state().preroll.at).toBe("playing");
    await world.pass(1);
    expect(world.state().preroll.at).toBe("done");
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll.at).toBe("playing");
    world.expectReplays();
  });

  it("interrupted by a reload times out, and is chosen again with the video", async () => {
    const world = await open([aPreroll()]);
    world.ui(prerollActions.wanted(target));
    await world.pass(4_000);
    await world.reload();
    await world.pass(6_000);
    expect(world.state().preroll.at).toBe("done");
    world.ui(prerollActions.wanted(target));
    world.ui(prerollActions.firstFrameShown());
    await world.reload();
    expect(world.state().preroll).toMatchObject({ at: "playing", shown: true });
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll.at).toBe("suppressed");
    world.expectReplays();
  });
});

describe("a preroll whose process crashed while choosing", () => {
  /** The page's process crashes for a moment; its supervisor restarts it. */
  async function crashed() {
    let breaks = false;
    const draw = (): number => {
      if (!breaks) return 0.5;
      breaks = false;
      throw new Error("no number was drawn");
    };
    const bootstrap = () => aBootstrap({ settings: settings({ prerolls: [aPreroll()] }) });
    const world = await openWorld({ "api.getBootstrap": bootstrap, "sync.connect": silence }, draw);
    breaks = true;
    world.ui(prerollActions.wanted(target));
    return world;
  }

  it.each([
    ["is left with its page", prerollActions.left(), { at: "idle" }],
    [
      "gives way to another video",
      prerollActions.wanted({ ...target, event_id: 7 }),
      { at: "selecting", target: { event_id: 7 } },
    ],
    ["receives no frame", prerollActions.firstFrameShown(), { at: "selecting", target }],
    ["receives no end", prerollActions.ended({ how: "played" }), { at: "selecting", target }],
  ])("%s", async (_, input, state) => {
    const world = await crashed();
    expect(world.state().preroll).toEqual({ at: "selecting", target });
    world.ui(input);
    expect(world.state().preroll).toMatchObject(state);
    await world.pass(5_000);
    expect(["idle", "playing"]).toContain(world.state().preroll.at);
    world.expectExpected();
  });
});
