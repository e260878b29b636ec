import type { Page } from "@playwright/test";
import { readBrowserStorage } from "../support/browserStorage";
import { expect, test } from "../support/journey";
import { expectStarted } from "../support/viewer";

const RECORDING = "/vod_library/1";
const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

async function watch(page: Page): Promise<void> {
  await page.goto(RECORDING);
  await page.getByRole("main").getByRole("button", { name: "Watch" }).click();
  await expectStarted(page);
}

/** Pauses, and returns the position in seconds once the browser has stored it. */
async function pauseAndStore(page: Page): Promise<number> {
  await page.getByRole("button", { name: "Pause" }).click();
  const storedPosition = await time(page);
  const stored = async () =>
    Math.max(
      0,
      ...Object.values(await readBrowserStorage(page)).flatMap((text) =>
        [...text.matchAll(/position_ms\W+(\d+)/g)].map(([, ms]) => Number(ms) / 1_000),
      ),
    );
  await expect.poll(stored).toBeGreaterThan(storedPosition - 0.5);
  return storedPosition;
}

/** Watches about half of it, and pauses. */
async function watchHalf(page: Page): Promise<number> {
  await watch(page);
  const position = page.getByLabel("Position");
  await position.focus();
  await position.press("ArrowRight");
  await position.press("ArrowRight");
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(20.5);
  return pauseAndStore(page);
}

test("a visitor's video resumes at its position, with an offline period in between (PLAYBACK-1a)", async ({
  page,
  context,
}) => {
  const storedPosition = await watchHalf(page);
  await context.setOffline(true);
  await page.getByRole("button", { name: "Play", exact: true }).first().click();
  await page.getByRole("button", { name: "Pause" }).click();
  await context.setOffline(false);
  // A page that opens before the browser notices the network starts without one.
  await expect(page.getByText("You’re offline", { exact: false })).toHaveCount(0);
  await watch(page);
  expect(await time(page)).toBeGreaterThan(storedPosition - 1);
});
