import type { Page } from "@playwright/test";
import { copiedChannels } from "../support/channels";
import { expect } from "../support/journey";
import type { MediaFault } from "../support/mediaProxy";
import { test } from "../support/mediaProxyJourney";
import { readLake, readViewings } from "../support/records";
import type { Worker } from "../support/worker";

/** A free recording of the demo. */
const BROKEN = 25;
/** The only preroll, of six seconds. */
const PREROLL = "p1";
const channels = copiedChannels();
channels.write("prerolls.json", [
  { id: 1, path: "hls/preroll-outfitters/master.m3u8", event_categories: [], for_vod: true, for_live: true },
]);

test.use({ serviceWorkers: "block", flags: ["--channels", channels.path, "--datalake-close-age-s", "1"] });
test.afterAll(() => channels.remove());

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

/** Opens a video after clearing the browser's cache of its preroll, broken or complete. */
async function open(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.clearBrowserCache");
  await devtools.detach();
  await page.goto(`/watch/${BROKEN}`);
  await page.getByRole("main").getByRole("button", { name: "Watch", exact: true }).click();
}

/** The video itself plays: a preroll has no seek bar. */
async function expectVideo(page: Page, within: number): Promise<void> {
  await expect(page.getByLabel("Position")).toBeVisible({ timeout: within });
  await expect.poll(() => time(page), { timeout: 15_000 }).toBeGreaterThan(0.2);
  await expect(page.getByText("Ad", { exact: true })).toHaveCount(0);
}

/** Faults of a preroll, and the viewer's longest wait for the video in milliseconds, mostly for the test's machine. */
const BREAKS: readonly (readonly [MediaFault, number])[] = [
  [{ kind: "404", of: "all" }, 8_000],
  [{ kind: "wrong MIME", of: "segments" }, 8_000],
  [{ kind: "broken picture", of: "segments" }, 8_000],
  // Its first part loads: it starts, freezes, and is ended.
  [{ kind: "hang", of: "segments", after: 2 }, 16_000],
];

/** The preroll events without `preroll_`, in alphabetical order. */
const recordedEvents = (worker: Worker): string[] =>
  readLake(worker.data)
    .flatMap(({ event }) => (event?.startsWith("preroll_") ? [event.slice("preroll_".length)] : []))
    .toSorted();

/** The share of the preroll played before each event, from the player's reports. */
const playedShares = (worker: Worker): string[] =>
  [...new Set(readViewings(worker.data).reports.map(({ content, spot }) => `${content}: ${spot}`))].toSorted();

const HALF = ["started", "first_quartile", "midpoint"];
const POLLING = { timeout: 30_000, intervals: [1_000] };

test("a broken preroll never prevents the video (PRE-4, PRE-6b)", async ({ page, spoiler, worker }) => {
  for (const [spoil, within] of BREAKS)
    await test.step(`${spoil.kind} of ${spoil.of}`, async () => {
      spoiler.spoils.set(PREROLL, spoil);
      await open(page);
      await expectVideo(page, within);
    });
  await page.goto("/faq");
  await expect.poll(() => recordedEvents(worker), POLLING).toEqual([...BREAKS.map(() => "failed"), ...HALF].toSorted());
  await expect.poll(() => playedShares(worker), POLLING).toEqual([`${BROKEN}: 50`, `${BROKEN}: null`]);
});
