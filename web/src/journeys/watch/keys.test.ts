// @vitest-environment jsdom
import { fireEvent } from "@testing-library/dom";
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

const RECORDING = "/watch/25";

const clip = (id: number, start_time: number) => ({
  id,
  uuid: `uuid-${id}`,
  event_id: 25,
  event_media_id: 253,
  name: `Moment ${id}`,
  start_time,
  duration: 4,
  tags: ["goal"],
  status: "ready" as const,
  created_at: new Date().toISOString(),
  version: 2,
});

/** Plays a recording of 40 s with two chapters, paused at its start. */
async function openPaused(page: Page): Promise<HTMLVideoElement> {
  const vera = await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
  vera.clips.push(clip(1, 8), clip(2, 24));
  await page.goto(RECORDING);
  await page.main.press("Watch");
  const video = await page.plays();
  await page.browser.untilDisplayed(() => expect(page.all(".player__chapter")).toHaveLength(2));
  await press(page, "k");
  expect(video.paused).toBe(true);
  await press(page, "Home");
  expect(video.currentTime).toBe(0);
  return video;
}

/** Presses a key at the page, or at an element; returns whether the browser would act on it. */
async function press(page: Page, key: string, more: object = {}, at: Element = document.body): Promise<boolean> {
  const isFree = fireEvent.keyDown(at, { key, ...more });
  await page.pass(60);
  return isFree;
}

const playerOf = (video: Element): Element => video.closest(".player") ?? video;

journey("a link opens a recording at its second, in each form (MEDIA-8a)", async (page) => {
  await page.signIn({ capabilities: ["watch", "no_ads"] });
  for (const [moment, second] of [
    ["33", 33],
    ["0:12", 12],
    ["0:00:21", 21],
  ] as const) {
    await page.goto(`${RECORDING}?t=${moment}`);
    await page.main.press("Watch");
    const { currentTime } = await page.plays();
    expect(currentTime, moment).toBeGreaterThanOrEqual(second);
    expect(currentTime, moment).toBeLessThan(second + 2);
  }
});

journey("each key acts on the video, and ? lists the keys of this one (MEDIA-8b)", async (page) => {
  const video = await openPaused(page);
  const time = async (key: string, second: number, more: object = {}): Promise<void> => {
    await press(page, key, more);
    expect(video.currentTime, key).toBeCloseTo(second, 2);
  };
  await press(page, " ");
  expect(video.paused).toBe(false);
  await press(page, " ");
  expect(video.paused).toBe(true);
  await time("Home", 0);
  await time("l", 10);
  await time("j", 0);
  await time("ArrowRight", 5);
  await time("ArrowLeft", 0);
  await time("5", 20);
  await time(".", 20.04);
  await time(",", 20);
  await time("n", 24);
  await time("p", 8);
  await time("ArrowRight", 24, { ctrlKey: true });
  await time("ArrowLeft", 8, { ctrlKey: true });
  await press(page, ">");
  expect(video.playbackRate).toBe(1.25);
  await press(page, "<");
  expect(video.playbackRate).toBe(1);
  await press(page, "m");
  expect(video.muted).toBe(true);
  await press(page, "m");
  expect(video.muted).toBe(false);
  await press(page, "ArrowDown", {}, playerOf(video));
  expect(video.volume).toBeCloseTo(0.95, 2);
  await press(page, "ArrowUp", {}, playerOf(video));
  expect(video.volume).toBeCloseTo(1, 2);
  for (const fills of [true, false]) {
    await press(page, "f");
    expect(document.querySelector(".player--filling") !== null).toBe(fills);
  }
  const theatre = () => page.all('button[aria-label="Theatre mode"]')[0]?.getAttribute("aria-pressed");
  expect(theatre()).toBe("false");
  await press(page, "t");
  expect(theatre()).toBe("true");
  await press(page, "t");

  await press(page, "?");
  const keys = page.within("[role=dialog]");
  await keys.sees("Keyboard shortcuts");
  for (const name of ["Go to 0%–90%", "Next video", "Create a clip", "Previous, next chapter"]) await keys.sees(name);
  // A recording has no live edge.
  expect(keys.has("Back to live")).toBe(false);
  await press(page, "?", {}, playerOf(video));
  await page.within("[role=dialog]").goes();

  await press(page, "x");
  await page.sees("Create a clip");
  await page.press("Close");
  await time("End", 40);
  await press(page, "N", { shiftKey: true });
  await page.isAt(/^\/watch\/(?!25)/);
});

journey("keys change the captions' size, background and opacity, and turn them on (MEDIA-8b)", async (page) => {
  const track = Object.assign(new EventTarget(), { kind: "captions", language: "en", label: "English" });
  const state = Object.assign(track, { mode: "disabled", activeCues: [] });
  const tracks = Object.assign(new EventTarget(), { [Symbol.iterator]: () => [state][Symbol.iterator]() });
  const before = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "textTracks");
  Object.defineProperty(HTMLMediaElement.prototype, "textTracks", { configurable: true, get: () => tracks });
  try {
    await openPaused(page);
    await press(page, "c");
    await page.browser.until(() => expect(state.mode).not.toBe("disabled"));
    const values = async (): Promise<string[]> => {
      await page.press("Settings");
      const fields = await Promise.all(
        ["Caption size", "Caption background", "Caption opacity"].map((name) => page.field(name)),
      );
      const found = fields.map(({ value }) => value);
      await page.press("Settings");
      return found;
    };
    expect(await values()).toEqual(["m", "shade", "full"]);
    for (const key of ["+", "w", "o"]) await press(page, key);
    expect(await values()).toEqual(["l", "none", "most"]);
    await press(page, "-");
    expect((await values())[0]).toBe("m");
  } finally {
    if (before) Object.defineProperty(HTMLMediaElement.prototype, "textTracks", before);
  }
});

journey("a live stream has a key for its edge (MEDIA-8b)", async (page) => {
  await page.signIn({ capabilities: ["watch", "no_ads"] });
  await page.goto("/watch/3");
  await page.main.press("Watch live");
  await page.plays();
  await press(page, "?");
  await page.within("[role=dialog]").sees("Back to live");
});

journey(
  "keys work at any focus except in fields, and some only on the player or off buttons (MEDIA-8c)",
  async (page) => {
    const video = await openPaused(page);
    const link = page.all("header a[href]")[0] as HTMLElement;
    link.focus();
    await press(page, "l", {}, link);
    expect(video.currentTime).toBe(10);
    // A button is pressed by space itself, and the page scrolls by these keys.
    const button = page.all("main button").find((one) => !one.closest(".player")) as HTMLElement;
    expect(await press(page, " ", {}, button)).toBe(true);
    for (const key of ["ArrowUp", "ArrowDown", "Enter"]) expect(await press(page, key), key).toBe(true);
    expect([video.paused, video.volume, video.currentTime]).toEqual([true, 1, 10]);
    expect(await press(page, "ArrowDown", {}, playerOf(video))).toBe(false);
    expect(video.volume).toBeCloseTo(0.95, 2);
    await press(page, "Enter", {}, playerOf(video));
    expect(video.paused).toBe(false);
    await press(page, "Enter", {}, playerOf(video));

    await press(page, "x");
    const name = await page.field("Name");
    for (const key of ["l", "k", "5", "Home", " "]) expect(await press(page, key, {}, name), key).toBe(true);
    expect(video.paused).toBe(true);
  },
);
