import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { expectStarted } from "../support/viewer";

test.use({ serviceWorkers: "block", sharesWorker: true });

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

async function watch(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole("main").getByRole("button", { name: "Watch", exact: true }).click();
  await expectStarted(page);
}

/** A video that starts later than at 0 has its time before it plays. */
const expectPlays = (page: Page) => expect(page.getByRole("button", { name: "Pause" }).first()).toBeVisible();

test("a link names a second, and keys work wherever the focus is except in a field (MEDIA-8)", async ({ page }) => {
  await watch(page, "/vod_library/1?t=0:20");
  expect(await time(page)).toBeGreaterThan(19.5);
  await expectPlays(page);
  // The focus is on the page's header, far from the player.
  await page.getByRole("link", { name: "Library" }).first().focus();
  await page.keyboard.press("k");
  await expect(page.getByRole("button", { name: "Play", exact: true }).first()).toBeVisible();
  // The page is read below the picture: keys that scroll elsewhere control the video here.
  await page.getByRole("heading", { level: 1 }).click();
  const scrolled = await page.evaluate(() => scrollY);
  await page.keyboard.press("Home");
  await expect.poll(() => time(page)).toBeCloseTo(0, 0);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => time(page)).toBeCloseTo(5, 0);
  await page.keyboard.press(" ");
  await expectPlays(page);
  await page.keyboard.press(" ");
  await expect(page.getByRole("button", { name: "Play", exact: true }).first()).toBeVisible();
  expect(await page.evaluate(() => scrollY)).toBe(scrolled);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(scrolled);
  await page.getByRole("link", { name: "Library" }).first().focus();
  await page.keyboard.press("2");
  await expect.poll(() => time(page)).toBeCloseTo(8, 0);
  await page.keyboard.press("l");
  await expect.poll(() => time(page)).toBeCloseTo(18, 0);
  await page.keyboard.press("j");
  await expect.poll(() => time(page)).toBeCloseTo(8, 0);
  // Two presses faster than rendering are two steps.
  await page.evaluate(() => {
    for (const _ of [1, 2]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "l", bubbles: true }));
  });
  await expect.poll(() => time(page)).toBeCloseTo(28, 0);
  await page.keyboard.press("2");
  await expect.poll(() => time(page)).toBeCloseTo(8, 0);
  await page.keyboard.press(">");
  await expect(page.getByLabel("Speed")).toHaveValue("1.25");
  expect(await page.locator("video").evaluate((video: HTMLVideoElement) => video.playbackRate)).toBe(1.25);
  await page.keyboard.press("c");
  const said = page.locator(".player__captions");
  const sizeOf = () => said.evaluate((lines) => Number.parseFloat(getComputedStyle(lines).fontSize));
  await page.keyboard.press("l");
  await expect(said).toContainText("Okafor gets a hand to it", { timeout: 10_000 });
  const size = await sizeOf();
  await page.keyboard.press("+");
  await expect.poll(sizeOf).toBeCloseTo(size * 1.5, 0);
  await page.keyboard.press("m");
  await expect(page.getByRole("button", { name: "Unmute" })).toHaveCount(1);

  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(list).toContainText("Back, forward 10 s");
  // A recording has no live edge.
  await expect(list).not.toContainText("Back to live");
  const found = await new AxeBuilder({ page }).include(".player").analyze();
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
  await expect(page.getByRole("group", { name: "Video player" })).toBeFocused();
});
