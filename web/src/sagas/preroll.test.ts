import { describe, expect, it } from "vitest";
import type { Preroll } from "../contracts/resources";
import type { PrerollTarget } from "../machines/preroll";
import { prerollActions } from "../slices/preroll";
import { aBootstrap, aPreroll, aProfile, settings } from "./testing/resources";
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
    ["of another place", { location_id: 4 }],
    ["of another branch of the category tree", { event_categories: [2] }],
    ["for videos on demand alone", { for_live: false }],
    ["that weighs nothing", { weight: 0 }],
  ])("%s is not shown", async (_, parts) => {
    const world = await open([aPreroll(parts)]);
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll).toMatchObject({ at: "done" });
    world.expectReplays();
  });

  it.each([
    ["of its place", { location_id: 3 }],
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

  it("is not shown to a viewer without ads", async () => {
    const world = await open([aPreroll()], viewer(aProfile({ capabilities: ["NO_ADS"] })));
    world.ui(prerollActions.wanted(target));
    expect(world.state().preroll).toMatchObject({ at: "suppressed", reason: "no_ads" });
    world.expectReplays();
  });

  it("that shows no frame is given up, and does not count as seen", async () => {
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

  it("that a reload cut off is given up in its time, and wanted anew with the video", async () => {
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
