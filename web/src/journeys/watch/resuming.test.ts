// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

const RECORDING = "/vod_library/1";
const START = "Start over";

const signIn = (page: Page) => page.signIn({ capabilities: ["watch", "vod_media", "no_ads"] });

async function watch(page: Page): Promise<HTMLVideoElement> {
  await page.goto(RECORDING);
  await page.main.press("Watch");
  return page.plays();
}

/** Pauses, and returns the position in seconds once the page has stored it. */
async function pauseAndStore(page: Page, video: HTMLVideoElement): Promise<number> {
  await page.press("Pause");
  await page.pass(3_000);
  return video.currentTime;
}

/** Watches about half of it, and pauses. */
async function watchHalf(page: Page): Promise<number> {
  const video = await watch(page);
  video.currentTime = 20;
  await page.browser.until(() => expect(video.currentTime).toBeGreaterThan(20.5));
  return pauseAndStore(page, video);
}

/** Percentage of the video that its progress bar shows as watched. */
const seen = (page: Page): number =>
  Number.parseFloat(
    (page.all(".video-page .touchline__fill")[0] as HTMLElement | undefined)?.style.getPropertyValue("--at") ?? "0",
  );

journey("a video resumes at the viewer's position, which the account stores (PLAYBACK-1a)", async (page) => {
  const vera = await signIn(page);
  const position = await watchHalf(page);
  await page.browser.until(() => expect(page.channel.requests("POST /api/playback").length).toBeGreaterThan(0));
  expect(vera.positions[0]?.position_ms).toBeCloseTo(position * 1_000, -3);
  expect((await watch(page)).currentTime).toBeGreaterThan(position - 1);
});

journey(
  "a video resumes at its position on another device, or from its start (PLAYBACK-1b, PLAYBACK-1c)",
  async (page) => {
    const vera = await signIn(page);
    // Another device has stored it.
    vera.positions.push({ kind: "vod", id: 1, position_ms: 25_000, duration_ms: 40_000, at: Date.now() - 60_000 });
    await page.goto("/");
    const share = "section:has(a[href='/vod_library/1']) article .touchline__fill";
    await page.browser.until(() =>
      expect((page.all(share)[0] as HTMLElement | undefined)?.style.getPropertyValue("--at")).toMatch(/^62\.5/),
    );
    await page.goto(RECORDING);
    await page.browser.until(() => expect(seen(page)).toBeCloseTo(62.5, 0));
    await page.main.press("Watch");
    const video = await page.plays();
    expect(video.currentTime).toBeGreaterThan(24);
    await page.press(START);
    await page.browser.until(() => expect(video.currentTime).toBeLessThan(10));
  },
);

journey(
  "a barely started or finished video starts at its beginning, and its progress bar shows the share (PLAYBACK-1b)",
  async (page) => {
    await signIn(page);
    expect(await pauseAndStore(page, await watch(page))).toBeLessThan(5);
    expect((await watch(page)).currentTime).toBeLessThan(5);
    expect(page.can(START)).toBe(false);

    const position = await watchHalf(page);
    await page.goto(RECORDING);
    await page.browser.until(() => expect(seen(page)).toBeCloseTo((position / 40) * 100, 0));
    const video = await watch(page);
    await page.pass(1_000);
    video.currentTime = 40 * 0.955;
    expect(await pauseAndStore(page, video)).toBeGreaterThan(40 * 0.95);
    await page.goto(RECORDING);
    await page.browser.until(() => expect(seen(page)).toBe(100));
    expect((await watch(page)).currentTime).toBeLessThan(5);
  },
);
