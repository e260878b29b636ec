import { get } from "node:http";
import { expect, test } from "./support/journey";
import { untilQuiet } from "./support/quiet";

/** The most JavaScript that the home page may need, bytes as they are sent to a browser that takes brotli. */
const LIMIT = 150 * 1024;

/** How many bytes the worker sends for `url`. A browser takes brotli over HTTPS alone, so it is asked for apart. */
function weigh(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": "br" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () => resolve(bytes)).on("error", reject);
    }).on("error", reject);
  });
}

/** The most code of the player's own, beside hls.js, bytes as above. */
const PLAYER = 60 * 1024;
const OF_PLAYER = /\/assets\/(?:VideoPlayer|EventPlayer|ProtectedVideo|viewingMeter|hls)-/;

test("the player is loaded where a video is watched alone, and is small (MEDIA-12)", async ({ page }) => {
  const loaded = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.serviceWorker() === null && /\.(?:js|css)$/.test(pathname)) loaded.add(request.url());
  });
  const ofPlayer = () => [...loaded].filter((url) => OF_PLAYER.test(url));
  for (const path of ["/", "/events", "/vod_library"]) {
    await page.goto(path);
    await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
    await untilQuiet(page);
    expect(ofPlayer(), path).toEqual([]);
  }
  const before = new Set(loaded);
  // Where a video is watched the player comes before anybody presses; the page's own code is counted with it.
  await page.goto("/vod_library/1");
  await page.getByRole("main").getByRole("button", { name: "Watch", exact: true }).click();
  const time = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(time, { timeout: 30_000 }).toBeGreaterThan(0.1);
  const own = [...loaded].filter((url) => !before.has(url) && !/\/assets\/hls-/.test(url));
  const weights = await Promise.all(own.map(async (url) => [url, await weigh(url)] as const));
  const total = weights.reduce((sum, [, bytes]) => sum + bytes, 0);
  const what = weights.map(([url, bytes]) => `${bytes} ${url}`).join("\n");
  test.info().annotations.push({ type: "weight", description: `${total} bytes\n${what}` });
  expect(ofPlayer().some((url) => url.includes("/hls-"))).toBe(true);
  expect(total, what).toBeGreaterThan(8_000);
  expect(total, what).toBeLessThanOrEqual(PLAYER);
});

test("the home page stays light", async ({ page }) => {
  const scripts = new Set<string>();
  page.on("request", (request) => {
    // What the service worker keeps for later is not what the first page waits for.
    if (request.serviceWorker() === null && request.resourceType() === "script") scripts.add(request.url());
  });
  await page.goto("/");
  await expect(page.locator(".event-card").first()).toBeVisible();
  await untilQuiet(page);
  const weights = await Promise.all([...scripts].map(async (url) => [url, await weigh(url)] as const));
  const total = weights.reduce((sum, [, bytes]) => sum + bytes, 0);
  const what = weights.map(([url, bytes]) => `${bytes} ${url}`).join("\n");
  expect(total, what).toBeGreaterThan(50_000);
  expect(total, what).toBeLessThanOrEqual(LIMIT);
});
