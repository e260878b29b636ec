import type { Page } from "@playwright/test";
import { copiedChannels, freeAndLive } from "../support/channels";
import { expect } from "../support/journey";
import type { Spoil } from "../support/mediaProxy";
import { test } from "../support/mediaProxyJourney";
import { readLake, readViewings } from "../support/records";
import type { Worker } from "../support/worker";

/** Free recordings of the demo. */
const [BROKEN, SKIPPED, WHOLE] = [25, 31, 37];
const EMBEDDED = 3;
/** The one spot there is, of six seconds, which may be skipped from its third on. */
const SPOT = "p1";
const channels = copiedChannels();
channels.write("prerolls.json", [
  { id: 1, path: "hls/preroll-outfitters/master.m3u8", event_categories: [], for_vod: true, for_live: true },
]);

channels.setEvent(EMBEDDED, freeAndLive({ id: 34, type: 4, path: "https://player.example/3.html" }));

// One copy of the channels for all: the first to end would take it from the others.
test.describe.configure({ mode: "default" });
test.use({ flags: ["--channels", channels.path, "--datalake-close-age-s", "1"] });
test.afterAll(() => channels.remove());

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

/** Asks for a video. What the browser has of its spot, broken or whole, is forgotten before. */
async function open(page: Page, event: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.clearBrowserCache");
  await devtools.detach();
  await page.goto(`/watch/${event}`);
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
      await open(page, BROKEN);
      await expectVideo(page, within);
    });
  await page.goto("/faq");
  await expect.poll(() => told(worker), PATIENCE).toEqual([...BREAKS.map(() => "failed"), ...HALF].toSorted());
  await expect.poll(() => shown(worker), PATIENCE).toEqual([`${BROKEN}: 50`, `${BROKEN}: null`]);
});

test("a spot is skipped from the second on that the channel says, or seen to its end (PRE-5, PRE-6)", async ({
  page,
  worker,
}) => {
  await open(page, SKIPPED);
  await expect(page.getByText("Ad", { exact: true })).toBeVisible();
  // It stands between its middle and its third quarter, however late a press comes.
  await page.locator("video").evaluate((video: HTMLVideoElement) => {
    video.addEventListener("timeupdate", () => video.currentTime >= 3.1 && video.pause());
  });
  const skip = page.getByRole("button", { name: /^Skip/ });
  await expect(skip).toHaveText(/^Skip in [123]$/);
  await expect(skip).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("s");
  await skip.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Position")).toHaveCount(0);
  await expect(skip).toHaveText("Skip");
  // Who had the focus there has it on what can be pressed now.
  await expect(skip).toBeFocused();
  await expect.poll(() => time(page)).toBeGreaterThan(3.1);
  await page.keyboard.press("s");
  await expectVideo(page, 8_000);

  await open(page, WHOLE);
  await expectVideo(page, 20_000);
  // Another site's player waits for its spot as well (PRE-3).
  await page.goto(`/watch/${EMBEDDED}`);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Watch/ })
    .click();
  await expect(page.getByText("Ad", { exact: true })).toBeVisible();
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(page.locator("iframe")).toHaveCount(1, { timeout: 20_000 });
  await page.goto("/faq");
  const whole = [...HALF, "third_quartile", "ended"];
  await expect.poll(() => told(worker), PATIENCE).toEqual([...HALF, "skipped", ...whole, ...whole].toSorted());
  await expect.poll(() => shown(worker), PATIENCE).toEqual([`${SKIPPED}: 50`, `${WHOLE}: 100`]);
});
