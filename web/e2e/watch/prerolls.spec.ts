import type { Page } from "@playwright/test";
import { copiedChannels } from "../support/channels";
import { expect } from "../support/journey";
import type { Spoil } from "../support/mediaProxy";
import { test } from "../support/mediaProxyJourney";
import { readLake, readViewings } from "../support/records";
import type { Worker } from "../support/worker";

/** A free recording of the demo. */
const BROKEN = 25;
/** The one spot there is, of six seconds. */
const SPOT = "p1";
const channels = copiedChannels();
channels.write("prerolls.json", [
  { id: 1, path: "hls/preroll-outfitters/master.m3u8", event_categories: [], for_vod: true, for_live: true },
]);

test.use({ flags: ["--channels", channels.path, "--datalake-close-age-s", "1"] });
test.afterAll(() => channels.remove());

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

/** Asks for a video. What the browser has of its spot, broken or whole, is forgotten before. */
async function open(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.clearBrowserCache");
  await devtools.detach();
  await page.goto(`/watch/${BROKEN}`);
  await page.getByRole("main").getByRole("button", { name: "Watch", exact: true }).click();
}

/** The video itself plays: a spot has no position to seek. */
async function expectVideo(page: Page, within: number): Promise<void> {
  await expect(page.getByLabel("Position")).toBeVisible({ timeout: within });
  await expect.poll(() => time(page), { timeout: 15_000 }).toBeGreaterThan(0.2);
  await expect(page.getByText("Ad", { exact: true })).toHaveCount(0);
}

/** What breaks a spot, and how long the viewer waits for the video at most, milliseconds; most of it is the test's machine. */
const BREAKS: readonly (readonly [Spoil, number])[] = [
  [{ kind: "404", of: "all" }, 8_000],
  [{ kind: "wrong MIME", of: "segments" }, 8_000],
  [{ kind: "broken picture", of: "segments" }, 8_000],
  // Its first part is there: it is seen, stands still, and is over.
  [{ kind: "hang", of: "segments", after: 2 }, 16_000],
];

/** What was told of spots, without `preroll_`, in the order of the alphabet. */
const told = (worker: Worker): string[] =>
  readLake(worker.data)
    .flatMap(({ event }) => (event?.startsWith("preroll_") ? [event.slice("preroll_".length)] : []))
    .toSorted();

/** By event, how much of the spot was shown, as the player's reports say. */
const shown = (worker: Worker): string[] =>
  [...new Set(readViewings(worker.data).reports.map(({ content, spot }) => `${content}: ${spot}`))].toSorted();

const HALF = ["started", "first_quartile", "midpoint"];
const PATIENCE = { timeout: 30_000, intervals: [1_000] };

test("a spot that breaks never costs the viewer the video (PRE-4, PRE-6)", async ({ page, spoiler, worker }) => {
  for (const [spoil, within] of BREAKS)
    await test.step(`${spoil.kind} of ${spoil.of}`, async () => {
      spoiler.spoils.set(SPOT, spoil);
      await open(page);
      await expectVideo(page, within);
    });
  await page.goto("/faq");
  await expect.poll(() => told(worker), PATIENCE).toEqual([...BREAKS.map(() => "failed"), ...HALF].toSorted());
  await expect.poll(() => shown(worker), PATIENCE).toEqual([`${BROKEN}: 50`, `${BROKEN}: null`]);
});
