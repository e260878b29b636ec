import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { copiedChannels } from "../support/channels";
import { expect, test } from "../support/journey";
import { register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

/** Which spot there is for what: a place, a sport with what is below it, a kind of video, and two of one sport by weight. */
const PLACE = 1;
const SPORT = 2;
const LIVE = 3;
const LIGHT = 4;
const HEAVY = 5;
/** Where event 27 is, and no other here. */
const RINK = 14;
const spot = (id: number, more: object) => ({
  id,
  path: "hls/preroll-outfitters/master.m3u8",
  event_categories: [],
  for_vod: true,
  for_live: false,
  ...more,
});
const free = { access_type: "free", type: "other", base_price: 0, service_fee: 0 };

/** The spots of the channel, each of six seconds. */
function channelsWith(spots: readonly object[], settings: object = {}) {
  const channels = copiedChannels();
  channels.write("prerolls.json", spots);
  channels.write("settings.json", { ...channels.read("settings.json"), ...settings });
  // At the ice arena, live, and of the sport that has two spots.
  for (const id of [27, 3, 48])
    channels.setEvent(id, ({ single_event_package_id: _, ...event }) => ({ ...event, ...free }));
  process.on("exit", () => channels.remove());
  return channels;
}

/** Presses, and gives the spots that are asked for until the first frame of one of them, or of the video itself, is shown. */
async function spotsBefore(page: Page, path: string): Promise<readonly number[]> {
  await page.goto(path);
  const asked = new Set<number>();
  const note = (request: { url(): string }) => {
    const id = /\/s\/p(\d+)\//.exec(request.url())?.[1];
    if (id !== undefined) asked.add(Number(id));
  };
  page.on("request", note);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Watch(?: live)?$/ })
    .click();
  await expect(page.getByText("Ad", { exact: true }).or(page.getByLabel("Position"))).toBeVisible({ timeout: 20_000 });
  const time = () => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(time, { intervals: [50] }).toBeGreaterThan(0);
  page.off("request", note);
  return [...asked];
}

test.describe("spots of each kind", () => {
  const channels = channelsWith([
    spot(PLACE, { location_id: RINK }),
    spot(SPORT, { event_categories: [40] }),
    spot(LIVE, { for_vod: false, for_live: true }),
    spot(LIGHT, { event_categories: [31], weight: 1 }),
    spot(HEAVY, { event_categories: [31], weight: 3 }),
  ]);
  test.use({ flags: ["--channels", channels.path] });

  test("a spot is chosen by place, category tree and kind of video, and drawn by weight (PRE-2)", async ({ page }) => {
    test.setTimeout(60_000);
    // What chance there is: two words of 32 bits, of which the first says in which tenth a draw falls.
    await page.addInitScript(() => {
      const fill = crypto.getRandomValues.bind(crypto);
      crypto.getRandomValues = <T extends ArrayBufferView | null>(array: T): T => {
        const filled = fill(array as never) as T;
        const drawn = Number(new URLSearchParams(location.search).get("drawn"));
        if (filled instanceof Uint32Array && filled.length === 2 && drawn > 0) filled[0] = drawn * 2 ** 32;
        return filled;
      };
    });
    // At the arena; at another place, of a sport below the one that is named; live; and what fits no spot.
    expect(await spotsBefore(page, "/watch/27")).toEqual([PLACE]);
    expect(await spotsBefore(page, "/watch/49")).toEqual([SPORT]);
    expect(await spotsBefore(page, "/watch/3")).toEqual([LIVE]);
    expect(await spotsBefore(page, "/watch/25")).toEqual([]);
    // A quarter of the draws is the light one's.
    expect(await spotsBefore(page, "/watch/48?drawn=0.2")).toEqual([LIGHT]);
    expect(await spotsBefore(page, "/watch/55?drawn=0.3")).toEqual([HEAVY]);
  });
});

test.describe("a channel with one spot for all", () => {
  const everywhere = [spot(1, { for_live: true })];
  /** Moves the page's clock on; nothing else of it stands still. */
  const later = (page: Page, minutes: number) => page.clock.setSystemTime(Date.now() + minutes * 60_000);

  test.describe("that says nothing of a period", () => {
    const channels = channelsWith(everywhere);
    test.use({ flags: ["--channels", channels.path] });

    test("a spot is shown once an hour before each video, of the library too (PRE-3)", async ({ page }) => {
      expect(await spotsBefore(page, "/watch/25")).toEqual([1]);
      expect(await spotsBefore(page, "/vod_library/1")).toEqual([1]);
      await later(page, 58);
      expect(await spotsBefore(page, "/watch/25")).toEqual([]);
      expect(await spotsBefore(page, "/vod_library/1")).toEqual([]);
      await later(page, 61);
      expect(await spotsBefore(page, "/watch/25")).toEqual([1]);
    });
  });

  test.describe("that says how often", () => {
    const channels = channelsWith(everywhere, { preroll_period_s: 600 });
    test.use({ flags: ["--channels", channels.path] });

    test("a spot comes again after the channel's period, and to nobody with no_ads (PRE-3)", async ({
      page,
      worker,
    }) => {
      await register(page);
      expect(await spotsBefore(page, "/watch/25")).toEqual([1]);
      await later(page, 9);
      expect(await spotsBefore(page, "/watch/25")).toEqual([]);
      await later(page, 11);
      expect(await spotsBefore(page, "/watch/25")).toEqual([1]);
      const named = ["--data", worker.data, "--channel", "northfield", "--email", VERA.email];
      execFileSync(BINARY, ["user", "set", ...named, "--capabilities", "watch,no_ads"]);
      expect(await spotsBefore(page, "/watch/31")).toEqual([]);
    });
  });
});
