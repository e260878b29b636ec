import { describe, expect, it } from "vitest";
import { connectionInputs } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectLoaderVisible } from "../slices/loader";
import { startupActions } from "../slices/startup";
import { aBootstrap, aProfile } from "./testing/resources";
import { away, cachedFrom, openWorld, refusing, type Script, silence, type TestWorld, viewer } from "./testing/world";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("start-up", () => {
  it("gets the channel key, then the API key, then the parts, behind a loading screen (START-2)", async () => {
    const world = await openWorld({ ...viewer(), "api.getParticipants": silence });
    expect(world.state().startup).toEqual({
      at: "loading",
      parts: { profile: "loaded", channel: "loaded" },
      stale: false,
    });
    expect(selectLoaderVisible(world.state())).toBe(true);
    world.expectReplays();
  });

  it("is ready when all parts have ended", async () => {
    const world = await openWorld(viewer());
    expect(world.state().startup).toEqual({ at: "ready", stale: false, refreshing: false });
    expect(selectLoaderVisible(world.state())).toBe(false);
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    expect(world.state().user.capabilities).toMatchObject({ watch: true, clipping: true, no_ads: false });
    world.expectReplays();
  });

  it("counts down a minute without an API key, then requests one again and refreshes the page (START-5)", async () => {
    const world = await openWorld({ "api.getApiKey": away });
    expect(world.state().startup).toMatchObject({ at: "keyFailed", stage: "apiKey", left: 60 });
    world.ui(startupActions.reloadPressed());
    await world.pass(1_000);
    expect(world.state().startup).toMatchObject({ at: "keyFailed", left: 59 });
    await world.pass(59_000);
    expect(world.state().startup).toMatchObject({ at: "keyFailed", left: 0 });
    expect(world.calls("api.getApiKey")).toHaveLength(1);
    world.script["api.getApiKey"] = () => null;
    world.ui(startupActions.reloadPressed());
    await world.pass();
    expect(world.calls("api.getApiKey")).toHaveLength(2);
    expect(world.calls("ui.reload")).toHaveLength(1);
    world.expectReplays();
  });

  it("continues the countdown after a reload", async () => {
    const world = await openWorld({ "api.getChannelKey": away });
    await world.pass(20_000);
    await world.reload();
    expect(world.state().startup).toMatchObject({ at: "keyFailed", stage: "channelKey", left: 40 });
    expect(world.calls("api.getChannelKey")).toHaveLength(1);
    world.expectReplays();
  });

  it.each([
    ["back", -5 * HOUR, 57],
    ["forward", 5 * HOUR, 0],
  ])("counts no longer than a minute even if the clock is set %s meanwhile", async (_, ms, left) => {
    const world = await openWorld({ "api.getChannelKey": away });
    await world.pass(2_000);
    world.setClock(ms);
    await world.pass(1_000);
    expect(world.state().startup).toMatchObject({ at: "keyFailed", left });
    await world.pass(57_000);
    expect(world.state().startup).toMatchObject({ at: "keyFailed", left: 0 });
    world.script["api.getChannelKey"] = () => null;
    world.ui(startupActions.reloadPressed());
    await world.pass();
    expect(world.calls("ui.reload")).toHaveLength(1);
    world.expectReplays();
  });

  it("clears the viewer when the profile is refused, and not without an answer (START-3)", async () => {
    const world = await openWorld(viewer());
    world.script["api.getProfile"] = away;
    await world.reload();
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.script["api.getProfile"] = refusing(401, "Unauthenticated.", "unauthenticated");
    await world.reload();
    expect(world.state().auth).toEqual({ at: "anonymous" });
    expect(world.state().user.flags).toBeNull();
    world.expectReplays();
  });

  it("continues without the channel's data when that fails (START-4)", async () => {
    const world = await openWorld({ "api.getBootstrap": refusing(500, "no") });
    expect(world.state().startup.at).toBe("ready");
    world.script["api.getBootstrap"] = () => aBootstrap();
    await world.pass(30_000);
    expect(world.calls("api.getBootstrap")).toHaveLength(2);
    world.expectReplays();
  });

  it("shows a stored snapshot at once, marks it stale without a network, and refreshes it online (START-6)", async () => {
    const world = await openWorld();
    await world.pass(2 * MINUTE);
    world.script["api.getBootstrap"] = away;
    world.script["api.getParticipants"] = away;
    await world.reload();
    expect(world.state().startup).toEqual({ at: "ready", stale: true, refreshing: false });
    expect(world.state().catalogue.bootstrap).not.toBeNull();
    world.script["api.getBootstrap"] = () => aBootstrap();
    world.script["api.getParticipants"] = () => [];
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.state().startup).toEqual({ at: "ready", stale: false, refreshing: false });
    world.expectReplays();
  });

  it("doesn't read fresh data again within a minute (LIM-3)", async () => {
    const world = await openWorld();
    await world.pass(59_000);
    await world.reload();
    expect(world.calls("api.getBootstrap")).toHaveLength(1);
    await world.pass(1_000);
    await world.reload();
    expect(world.calls("api.getBootstrap")).toHaveLength(2);
    world.expectReplays();
  });

  it("sends a viewer with a temporary password to change it", async () => {
    const world = await openWorld(viewer(aProfile({ temporary_password: true })));
    expect(world.state().auth).toEqual({ at: "mustChangePassword", userId: 7 });
  });

  it.each<[string, Script]>([
    ["channelKey", { "api.getChannelKey": silence }],
    ["apiKey", { "api.getApiKey": silence }],
    ["loading", { "api.getParticipants": silence }],
  ])("restarts when the page is reloaded at %s", async (at, script) => {
    const world = await openWorld(script);
    expect(world.state().startup.at).toBe(at);
    Object.assign(world.script, whole);
    await world.reload();
    expect(world.state().startup.at).toBe("ready");
    world.expectReplays();
  });

  it("completes at once on a page that finds a key fetched by another tab meanwhile", async () => {
    const world = await openWorld();
    world.script["account.status"] = () => ({ channel_key: false, api_key: false, user_id: null });
    world.script["api.getChannelKey"] = silence;
    await world.pass(MINUTE);
    await world.reload();
    expect(world.state().startup.at).toBe("channelKey");
    world.script["account.status"] = () => ({ channel_key: true, api_key: true, user_id: null });
    world.script["api.getBootstrap"] = silence;
    await world.reload();
    expect(world.state().startup).toEqual({ at: "ready", stale: false, refreshing: true });
    world.expectReplays();
  });

  it("reports the failed part, and is stale after a cached answer", async () => {
    const world = await openWorld({ "api.getParticipants": away, "api.getBootstrap": silence });
    expect(world.state().startup).toMatchObject({
      at: "loading",
      parts: { participants: "failed", profile: "loaded" },
    });
    let answer: (bootstrap: ReturnType<typeof aBootstrap>) => void = () => undefined;
    world.script["api.getBootstrap"] = () => new Promise((resolve) => (answer = resolve));
    await world.reload();
    world.input("api", startupActions.wentStale());
    answer(aBootstrap());
    await world.pass();
    expect(world.state().startup).toMatchObject({ at: "ready", stale: true });
    world.expectReplays();
  });

  const keeps = (world: TestWorld) => {
    world.script["api.getBootstrap"] = cachedFrom(() => world, aBootstrap());
    world.script["api.getParticipants"] = cachedFrom(() => world, []);
  };

  it.each<[string, (state: RootState) => RootState]>([
    ["displayed from the snapshot", (state) => state],
    ["displayed once everything is loaded", ({ catalogue, freshness, ...rest }) => rest as RootState],
  ])("%s is stale after a cached answer, and retries until the channel answers (START-6)", async (_, from) => {
    const world = await openWorld();
    await world.pass(2 * MINUTE);
    keeps(world);
    await world.reload(from);
    expect(world.state().startup).toEqual({ at: "ready", stale: true, refreshing: false });
    await world.pass(30_000);
    expect(world.calls("api.getBootstrap")).toHaveLength(3);
    expect(world.state().startup).toMatchObject({ at: "ready", stale: true });
    world.script["api.getBootstrap"] = () => aBootstrap();
    world.script["api.getParticipants"] = () => [];
    await world.pass(30_000);
    expect(world.state().startup).toEqual({ at: "ready", stale: false, refreshing: false });
    await world.pass(10 * MINUTE);
    expect(world.calls("api.getBootstrap")).toHaveLength(4);
    world.expectReplays();
  });

  it("retries at most every half minute while a cache answers for the channel", async () => {
    const world = await openWorld();
    await world.pass(2 * MINUTE);
    keeps(world);
    await world.reload();
    await world.pass(10 * MINUTE);
    expect(world.calls("api.getBootstrap")).toHaveLength(22);
    expect(world.state().startup).toMatchObject({ at: "ready", stale: true });
  });

  it("shows that it is retrying", async () => {
    const world = await openWorld({ "api.getParticipants": away });
    world.script["api.getParticipants"] = silence;
    await world.pass(30_000);
    expect(world.state().startup).toEqual({ at: "ready", stale: false, refreshing: true });
    world.expectReplays();
  });
});

const whole: Script = {
  "api.getChannelKey": () => null,
  "api.getApiKey": () => null,
  "api.getParticipants": () => [],
};
