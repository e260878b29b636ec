import { chromium, type Page } from "@playwright/test";
import { PAGES_ALONE } from "../support/chromium";
import { expect, test } from "../support/journey";

test.use({ serviceWorkers: "block", sharesWorker: true });

const VIDEO = "/vod_library/1";
const time = (page: Page) => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.currentTime);
const video = (page: Page) => page.locator(".player__video");

test("if the browser blocks sound, the video plays muted and offers the sound (MEDIA-11c)", async ({ worker }) => {
  // A browser with its own autoplay policy: a page's first sound requires a press on that page.
  const browser = await chromium.launch({
    executablePath: PAGES_ALONE.executablePath ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--autoplay-policy=document-user-activation-required"],
  });
  try {
    const page = await (await browser.newContext({ baseURL: worker.origin })).newPage();
    // A press by the page's own script isn't a gesture.
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
    // Until then the test doesn't touch the page, which Chromium would treat as a gesture.
    const plays = page.waitForEvent("console", { predicate: (message) => message.text() === "it plays" });
    await page.goto(VIDEO);
    await plays;
    const sound = page.getByRole("button", { name: "Turn sound on" });
    await expect(sound).toBeVisible();
    await expect.poll(() => time(page)).toBeGreaterThan(0.1);
    expect(await video(page).evaluate((of: HTMLVideoElement) => of.muted)).toBe(true);
    await sound.click();
    await expect.poll(() => video(page).evaluate((of: HTMLVideoElement) => of.muted)).toBe(false);
    await expect(sound).toHaveCount(0);
    const position = await time(page);
    await expect.poll(() => time(page)).toBeGreaterThan(position + 0.5);
  } finally {
    await browser.close();
  }
});
