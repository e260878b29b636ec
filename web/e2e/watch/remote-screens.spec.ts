import { chromium, type Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { expectBegun } from "../support/viewer";

test.use({ sharesWorker: true });

const VIDEO = "/vod_library/1";
const time = (page: Page) => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.currentTime);
const video = (page: Page) => page.locator(".player__video");
const watch = (page: Page) => page.getByRole("main").getByRole("button", { name: "Watch", exact: true });

test("where the browser lets no sound out, it plays without and offers the sound (MEDIA-11)", async ({ worker }) => {
  // A browser with its own rules of autoplay: a page's first sound wants a press on that page.
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--autoplay-policy=document-user-activation-required"],
  });
  try {
    const page = await (await browser.newContext({ baseURL: worker.origin })).newPage();
    // A press by the page's own script is no gesture.
    await page.addInitScript(() => {
      const looking = setInterval(() => {
        const buttons = [...document.querySelectorAll<HTMLButtonElement>("main button")];
        const button = buttons.find(({ textContent }) => textContent?.trim() === "Watch");
        if (!button) return;
        clearInterval(looking);
        button.click();
      }, 100);
      addEventListener("playing", () => console.log("it plays"), true);
    });
    // Until then the test looks at nothing in the page: Chromium takes that for a gesture.
    const plays = page.waitForEvent("console", { predicate: (message) => message.text() === "it plays" });
    await page.goto(VIDEO);
    await plays;
    const sound = page.getByRole("button", { name: "Sound on" });
    await expect(sound).toBeVisible();
    await expect.poll(() => time(page)).toBeGreaterThan(0.1);
    expect(await video(page).evaluate((of: HTMLVideoElement) => of.muted)).toBe(true);
    await sound.click();
    await expect.poll(() => video(page).evaluate((of: HTMLVideoElement) => of.muted)).toBe(false);
    await expect(sound).toHaveCount(0);
    const stood = await time(page);
    await expect.poll(() => time(page)).toBeGreaterThan(stood + 0.5);
  } finally {
    await browser.close();
  }
});

const other = (page: Page) => page.getByRole("button", { name: "Play on another screen" });

test("another screen is offered once the browser has found one: Remote Playback (MEDIA-10)", async ({ page }) => {
  await page.addInitScript(() => {
    const said = { prompts: 0, found: (_: boolean): void => undefined };
    Object.assign(window, { said });
    const remote = {
      watchAvailability: async (tell: (found: boolean) => void) => {
        said.found = tell;
        return 1;
      },
      cancelWatchAvailability: async () => undefined,
      prompt: async () => {
        said.prompts += 1;
      },
    };
    Object.defineProperty(HTMLMediaElement.prototype, "remote", { get: () => remote });
  });
  const find = (found: boolean) =>
    page.evaluate((is) => (window as unknown as { said: { found(is: boolean): void } }).said.found(is), found);
  await page.goto(VIDEO);
  await watch(page).click();
  await expectBegun(page);
  await expect(other(page)).toHaveCount(0);
  await find(true);
  await other(page).click();
  expect(await page.evaluate(() => (window as unknown as { said: { prompts: number } }).said.prompts)).toBe(1);
  await find(false);
  await expect(other(page)).toHaveCount(0);
});

test("another screen is offered once the browser has found one: AirPlay (MEDIA-10)", async ({ page }) => {
  // As Safari has it.
  await page.addInitScript(() => {
    const said = { pickers: 0 };
    Object.assign(window, { said, WebKitPlaybackTargetAvailabilityEvent: Event });
    Object.assign(HTMLMediaElement.prototype, {
      webkitShowPlaybackTargetPicker: () => {
        said.pickers += 1;
      },
    });
  });
  const find = (availability: string) =>
    video(page).evaluate((of, available) => {
      const event = new Event("webkitplaybacktargetavailabilitychanged");
      of.dispatchEvent(Object.assign(event, { availability: available }));
    }, availability);
  await page.goto(VIDEO);
  await watch(page).click();
  await expectBegun(page);
  await expect(other(page)).toHaveCount(0);
  await find("available");
  await other(page).click();
  expect(await page.evaluate(() => (window as unknown as { said: { pickers: number } }).said.pickers)).toBe(1);
  await find("not-available");
  await expect(other(page)).toHaveCount(0);
});
