// @vitest-environment jsdom
import { afterEach, expect, vi } from "vitest";
import type { Event } from "../testing/channel/catalogue";
import { journey, type Page } from "../testing/journey";

/**
 * Prerolls of each kind: of a location, of a sport and its subcategories, of live video, and two of one sport by
 * weight.
 */
const LOCATION = 1;
const SPORT = 2;
const LIVE = 3;
const LIGHT = 4;
const HEAVY = 5;
/** The location of event 27, and of no other here. */
const RINK = 14;
/** Free recordings of the demo. */
const [FIRST, SECOND, THIRD] = [25, 31, 37];
const MINUTE = 60_000;

const spot = (id: number, more: object = {}) => ({
  id,
  url: `/media/northfield/s/p${id}/open/v1/master.m3u8`,
  weight: 1,
  event_categories: [],
  for_vod: true,
  for_live: true,
  ...more,
});

function setSpots(page: Page, spots: readonly object[], settings: object = {}): void {
  Object.assign(page.channel.state.catalogue.settings, { prerolls: spots, ...settings });
}

function changeEvent(page: Page, id: number, change: Partial<Event>): void {
  Object.assign(page.channel.state.catalogue.events.find((event) => event.id === id) ?? {}, change);
}

/** Opens another page once the log of this one is stored. */
async function openNext(page: Page, path: string): Promise<void> {
  await page.pass(3_000);
  await page.goto(path);
}

/** Presses *Watch* as a person does: once the page has the channel's prerolls and its own analytics key. */
const watch = async (page: Page, path: string): Promise<void> => {
  await openNext(page, path);
  await page.settles();
  await page.main.press(/^Watch(?: live)?$/);
};

/** The prerolls that are loaded until one of them, or the video itself, is visible. */
async function prerollsBefore(page: Page, path: string): Promise<string[]> {
  const before = page.browser.media.streams.length;
  await watch(page, path);
  const video = await page.video();
  await page.browser.until(() => expect(video.currentTime).toBeGreaterThan(0));
  return page.browser.media.streams.slice(before).filter((stream) => stream.startsWith("p"));
}

/** Moves the wall clock forward: no timer falls due. */
const later = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE);

/** Prerolls in analytics, without `preroll_`, in alphabetical order. */
const counted = (page: Page): string[] =>
  [...page.channel.state.analytics.values()]
    .flatMap(({ body }) => /^preroll_(.*)$/.exec(String((body as { event?: string }).event))?.[1] ?? [])
    .toSorted();

/** Reached shares of a preroll in percent, from the player's reports of the following videos. */
const prerollShares = (page: Page): number[] => {
  const reports = JSON.stringify([...page.channel.state.analytics.values()]);
  return [...new Set([...reports.matchAll(/"com\.touchline-spot":(\d+)/g)].map(([, share]) => Number(share)))].toSorted(
    (a, b) => a - b,
  );
};

const HALF = ["started", "first_quartile", "midpoint"];
const WHOLE = [...HALF, "third_quartile", "ended"];

afterEach(() => void vi.restoreAllMocks());

journey(
  "a preroll is chosen by location, category tree and kind of video, and drawn by weight (PRE-2)",
  async (page) => {
    setSpots(page, [
      spot(LOCATION, { location_id: RINK }),
      spot(SPORT, { event_categories: [40] }),
      spot(LIVE, { for_vod: false }),
      spot(LIGHT, { event_categories: [31], weight: 1, for_live: false }),
      spot(HEAVY, { event_categories: [31], weight: 3, for_live: false }),
    ]);
    for (const id of [27, 3, 48]) changeEvent(page, id, { access_type: "free" });
    // At the arena; elsewhere, in a subcategory of the named sport; live; and nothing that fits.
    expect(await prerollsBefore(page, "/watch/27")).toEqual([`p${LOCATION}`]);
    expect(await prerollsBefore(page, "/watch/49")).toEqual([`p${SPORT}`]);
    expect(await prerollsBefore(page, "/watch/3")).toEqual([`p${LIVE}`]);
    expect(await prerollsBefore(page, "/watch/25")).toEqual([]);
    // A quarter of the draws selects the lighter one.
    let drawn = 0;
    const fill = crypto.getRandomValues.bind(crypto);
    vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
      const filled = fill(array);
      if (filled instanceof Uint32Array && filled.length === 2) filled[0] = drawn * 2 ** 32;
      return filled;
    });
    drawn = 0.2;
    expect(await prerollsBefore(page, "/watch/48")).toEqual([`p${LIGHT}`]);
    drawn = 0.3;
    expect(await prerollsBefore(page, "/watch/55")).toEqual([`p${HEAVY}`]);
  },
);

journey("a preroll plays once an hour before each video, library videos too (PRE-3a, PRE-3d)", async (page) => {
  setSpots(page, [spot(1)]);
  expect(await prerollsBefore(page, `/watch/${FIRST}`)).toEqual(["p1"]);
  expect(await prerollsBefore(page, "/vod_library/1")).toEqual(["p1"]);
  later(58);
  expect(await prerollsBefore(page, `/watch/${FIRST}`)).toEqual([]);
  expect(await prerollsBefore(page, "/vod_library/1")).toEqual([]);
  later(3);
  expect(await prerollsBefore(page, `/watch/${FIRST}`)).toEqual(["p1"]);
});

journey(
  "a preroll returns after the channel's period, and never for viewers with no_ads (PRE-3b, PRE-3c)",
  async (page) => {
    setSpots(page, [spot(1)], { preroll_period_s: 600 });
    const vera = await page.signIn();
    expect(await prerollsBefore(page, `/watch/${FIRST}`)).toEqual(["p1"]);
    later(9);
    expect(await prerollsBefore(page, `/watch/${FIRST}`)).toEqual([]);
    later(2);
    expect(await prerollsBefore(page, `/watch/${FIRST}`)).toEqual(["p1"]);
    vera.capabilities = ["watch", "no_ads"];
    expect(await prerollsBefore(page, `/watch/${SECOND}`)).toEqual([]);
  },
);

journey("a preroll can be skipped from the channel's second on (PRE-4, PRE-5, PRE-6a)", async (page) => {
  setSpots(page, [spot(1)]);
  await watch(page, `/watch/${SECOND}`);
  await page.within(".player__ad").sees(/^Ad/);
  const video = await page.video();
  const skip = () => page.all(".player__skip")[0] as HTMLElement;
  await page.within(".player__skip").sees(/^Skip in 3$/);
  expect(skip().getAttribute("aria-disabled")).toBe("true");
  await page.key("s");
  skip().focus();
  skip().click();
  await page.pass(1_500);
  expect(page.within(".player__ad").isThere()).toBe(true);
  await page.within(".player__skip").sees(/^Skip$/);
  expect(video.currentTime).toBeGreaterThanOrEqual(3);
  // The focus moves to the next available button.
  expect(document.activeElement).toBe(skip());
  await page.key("s");
  await page.plays();

  await watch(page, `/watch/${THIRD}`);
  await page.within(".player__ad").sees("Ad · 0:06");
  await page.within(".player__ad").sees("Ad · 0:01");
  await page.plays();
  await openNext(page, "/faq");
  await page.browser.until(() => expect(counted(page)).toEqual([...HALF, "skipped", ...WHOLE].toSorted()));
  expect(prerollShares(page)).toEqual([50, 100]);
});

journey("another site's player waits for its preroll (PRE-3d, PRE-6a)", async (page) => {
  setSpots(page, [spot(1)]);
  const url = "https://player.example/3.html";
  changeEvent(page, 3, { access_type: "free", media: [{ id: 34, type: 4, url, duration_s: 0 }] });
  await watch(page, "/watch/3");
  await page.within(".player__ad").sees(/^Ad/);
  expect(page.all("iframe")).toEqual([]);
  await page.within("iframe").appears();
  expect(page.all("iframe")[0]?.getAttribute("src")).toBe(url);
  await openNext(page, "/faq");
  await page.browser.until(() => expect(counted(page)).toEqual(WHOLE.toSorted()));
});

journey("a broken preroll is reported with its cause, under the viewing that follows (PRE-6a)", async (page) => {
  setSpots(page, [spot(1)]);
  await watch(page, `/watch/${FIRST}`);
  await page.within(".player__ad").appears();
  const video = await page.video();
  await page.browser.until(() => expect(video.currentTime).toBeGreaterThan(0));
  page.browser.media.remove(video);
  await page.plays();
  await openNext(page, "/faq");
  const bodies = () =>
    [...page.channel.state.analytics.values()].map(
      ({ body }) => body as { event?: string; video_view_uuid?: string; extras?: { code?: string } },
    );
  const of = (name: string) => bodies().find(({ event }) => event === name);
  await page.browser.until(() => expect(of("first_frame_shown")).toBeDefined());
  await page.browser.until(() => expect(of("preroll_failed")?.extras?.code).toMatch(/^\w+$/));
  expect(of("preroll_failed")?.video_view_uuid).toBe(of("first_frame_shown")?.video_view_uuid);
});
