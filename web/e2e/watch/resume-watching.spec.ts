import type { Page } from "@playwright/test";
import { readBrowserStorage } from "../support/browserStorage";
import { expect, test } from "../support/journey";
import { expectBegun, register, VERA } from "../support/viewer";

const RECORDING = "/vod_library/1";
const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

async function watch(page: Page): Promise<void> {
  await page.goto(RECORDING);
  await page.getByRole("main").getByRole("button", { name: "Watch" }).click();
  await expectBegun(page);
}

/** Pauses, and gives the position in seconds once the browser has stored it. */
async function pauseAndKeep(page: Page): Promise<number> {
  await page.getByRole("button", { name: "Pause" }).click();
  const stood = await time(page);
  const stored = async () =>
    Math.max(
      0,
      ...Object.values(await readBrowserStorage(page)).flatMap((text) =>
        [...text.matchAll(/position_ms\W+(\d+)/g)].map(([, ms]) => Number(ms) / 1_000),
      ),
    );
  await expect.poll(stored).toBeGreaterThan(stood - 0.5);
  return stood;
}

/** Watches to about half of it, and pauses. */
async function watchHalf(page: Page): Promise<number> {
  await watch(page);
  const position = page.getByLabel("Position");
  await position.focus();
  await position.press("ArrowRight");
  await position.press("ArrowRight");
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(20.5);
  return pauseAndKeep(page);
}

test("a video goes on where its viewer left it, on their other devices too, or from its start (PLAYBACK-1)", async ({
  page,
  browser,
  baseURL,
}) => {
  await register(page);
  const kept = page.waitForResponse(
    (response) => response.url().endsWith("/playback") && response.request().method() === "POST",
    { timeout: 60_000 },
  );
  const stood = await watchHalf(page);
  expect((await kept).status()).toBe(200);
  await watch(page);
  expect(await time(page)).toBeGreaterThan(stood - 1);

  const other = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }) });
  const device = await other.newPage();
  await device.goto("/login");
  await device.getByLabel("Email").fill(VERA.email);
  await device.getByLabel(/^Password/).fill(VERA.password);
  await device.getByRole("main").getByRole("button", { name: "Log in" }).click();
  await expect(device.getByRole("banner").getByRole("link", { name: /^Your account/ })).toBeVisible();
  await watch(device);
  expect(await time(device)).toBeGreaterThan(stood - 1);
  await device.getByRole("button", { name: "From the start" }).click();
  await expect.poll(() => time(device)).toBeLessThan(10);
  await other.close();
});

test("a visitor's video goes on where they left it, without a network in between (PLAYBACK-1)", async ({
  page,
  context,
}) => {
  const stood = await watchHalf(page);
  await context.setOffline(true);
  await page.getByRole("button", { name: "Play", exact: true }).first().click();
  await page.getByRole("button", { name: "Pause" }).click();
  await context.setOffline(false);
  // A page that opens before the browser notices the network begins without one.
  await expect(page.getByText("You’re offline", { exact: false })).toHaveCount(0);
  await watch(page);
  expect(await time(page)).toBeGreaterThan(stood - 1);
});

test("a video that was hardly begun or is seen begins at its start, and its line tells the share (PLAYBACK-1)", async ({
  page,
}) => {
  const seen = () =>
    page
      .locator(".video-page .touchline__fill")
      .evaluate((line: HTMLElement) => Number.parseFloat(line.style.getPropertyValue("--at")));
  const again = page.getByRole("button", { name: "From the start" });
  await watch(page);
  expect(await pauseAndKeep(page)).toBeLessThan(5);
  await watch(page);
  expect(await time(page)).toBeLessThan(5);
  await expect(again).toHaveCount(0);

  const stood = await watchHalf(page);
  const duration = await page.locator("video").evaluate((video: HTMLVideoElement) => video.duration);
  await page.goto(RECORDING);
  await expect.poll(seen).toBeCloseTo((stood / duration) * 100, 0);
  await watch(page);
  await page.locator("video").evaluate((video: HTMLVideoElement) => {
    video.currentTime = video.duration * 0.955;
  });
  expect(await pauseAndKeep(page)).toBeGreaterThan(duration * 0.95);
  await page.goto(RECORDING);
  await expect.poll(seen).toBe(100);
  await watch(page);
  expect(await time(page)).toBeLessThan(5);
});
