import type { Page } from "@playwright/test";
import { IS_ALONE } from "../support/alone";
import { expect } from "../support/journey";
import { type TestProxy, test } from "../support/proxyJourney";
import { expectStarted } from "../support/viewer";

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

/** The player reports failure after a minute without success; the rest is for a busy machine. */
const FAILURE_TIMEOUT_MS = 80_000;

/** Limit of the recovery after an outage of more than a minute, and of a second's playback (MEDIA-6). */
const RESUMES_MS = IS_ALONE ? 11_000 : 30_000;

/** Plays a free recording of 40 s whose first eight seconds load, while the rest fails. */
async function stall(page: Page, between: TestProxy, path: string): Promise<void> {
  between.answer = ({ url = "" }) => (/seg_(?!00[01])/.test(url) ? { status: 503, headers: {}, body: "" } : null);
  await page.goto(path);
  await page.getByRole("main").getByRole("button", { name: "Watch", exact: true }).click();
  await expectStarted(page);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(5);
}

async function expectResumesFrom(page: Page, position: number): Promise<void> {
  await expect.poll(() => time(page), { timeout: RESUMES_MS }).toBeGreaterThan(position + 1);
  await expect(page.locator(".player__message")).toHaveCount(0);
}

test("a stalled video continues after a retry, and by itself once online unless it is paused (MEDIA-6a, MEDIA-6b)", async ({
  page,
  between,
}) => {
  test.setTimeout(240_000);
  const again = page.getByRole("button", { name: "Try again" });
  const reconnect = async () => {
    await page.context().setOffline(true);
    between.answer = () => null;
    await page.context().setOffline(false);
  };

  await test.step("shows that it is waiting, and continues at its position after a retry", async () => {
    await stall(page, between, "/vod_library/1");
    await expect(page.getByText(/^(?:Loading the video|The stream isn’t responding)/)).toHaveCount(1);
    await expect(again).toBeVisible({ timeout: FAILURE_TIMEOUT_MS });
    const position = await time(page);
    let press = (): void => undefined;
    const pressed = new Promise<void>((done) => {
      press = done;
    });
    // The player also retries automatically, so nothing is answered before the press.
    between.answer = () => pressed.then(() => null);
    await again.click();
    press();
    await expectResumesFrom(page, position);
  });

  // Each uses a recording that the browser hasn't cached.
  await test.step("continues by itself once online", async () => {
    await stall(page, between, "/watch/25");
    await expect(again).toBeVisible({ timeout: FAILURE_TIMEOUT_MS });
    const position = await time(page);
    await reconnect();
    await expectResumesFrom(page, position);
  });

  await test.step("stays paused once online if its viewer paused it", async () => {
    await stall(page, between, "/watch/31");
    await page.getByRole("button", { name: "Pause" }).click();
    const position = await time(page);
    await reconnect();
    await expect(again).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Play", exact: true }).first()).toBeVisible();
    expect(await time(page)).toBe(position);
    await page.getByRole("button", { name: "Play", exact: true }).first().click();
    await expectResumesFrom(page, position);
  });
});

test("a truncated answer is requested again without the browser's cache (MEDIA-6e)", async ({
  page,
  between,
  worker,
}) => {
  let requests = 0;
  between.answer = async ({ url = "" }) => {
    if (!url.includes("seg_002.")) return null;
    requests += 1;
    if (requests > 1) return null;
    const whole = Buffer.from(await (await fetch(`${worker.origin}${url}`)).arrayBuffer());
    // The browser may store it, and would answer with it again.
    const headers = { "content-type": "video/iso.segment", "cache-control": "public, max-age=3600, immutable" };
    return { status: 200, headers, body: whole.subarray(0, whole.length / 2) };
  };
  await page.goto("/vod_library/1");
  await page.getByRole("main").getByRole("button", { name: "Watch", exact: true }).click();
  await expectStarted(page);
  await expect.poll(() => time(page), { timeout: 60_000 }).toBeGreaterThan(12.5);
  expect(requests).toBeGreaterThan(1);
});
