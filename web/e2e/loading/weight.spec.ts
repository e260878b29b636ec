import { get } from "node:http";
import type { Page } from "@playwright/test";
import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

/**
 * The most JavaScript that the home page may need, bytes as they are sent to a browser that takes brotli. Libraries are
 * built in as they are published: React Router and localforage are 11 KB of it more than their used parts would be.
 */
const LIMIT = 161 * 1024;

/** The most requests of a first visit to the home page on a phone, all that the page itself asks for. */
const REQUESTS = 20;
/** The most that anything shown moves while a page starts (Chromium's layout shift). */
const SHIFT = 0.02;

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

test("the player is loaded where a video is watched alone, and is small (MEDIA-12, MEDIA-14)", async ({ page }) => {
  const loaded = new Set<string>();
  const playlists: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\/s\/v\d+\/open\/master\.m3u8$/.test(pathname)) playlists.push(pathname);
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
  await expect.poll(() => ofPlayer().some((url) => url.includes("/hls-"))).toBe(true);
  // The recording's first playlist as well.
  await expect.poll(() => playlists.length).toBeGreaterThan(0);
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

test("who saves data is sent no player and no playlist before the press (MEDIA-14)", async ({ page }) => {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "connection", { value: Object.assign(new EventTarget(), { saveData: true }) }),
  );
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.serviceWorker() === null && (OF_PLAYER.test(pathname) || pathname.endsWith(".m3u8")))
      asked.push(pathname);
  });
  await page.goto("/vod_library/1");
  const watch = page.getByRole("main").getByRole("button", { name: "Watch", exact: true });
  await expect(watch).toBeVisible();
  // What is fetched ahead is fetched half a second after the page.
  for (let twice = 0; twice < 2; twice++) await untilQuiet(page);
  expect(asked).toEqual([]);
  await watch.click();
  await expect.poll(() => asked.some((path) => path.endsWith("/open/master.m3u8"))).toBe(true);
  expect(asked.some((path) => path.includes("/hls-"))).toBe(true);
});

test("the home page stays light (FAST-4)", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const scripts = new Set<string>();
  const asked: string[] = [];
  page.on("request", (request) => {
    // What the service worker keeps for later is not what the first page waits for.
    if (request.serviceWorker() !== null) return;
    asked.push(request.url());
    if (request.resourceType() === "script") scripts.add(request.url());
  });
  await page.goto("/");
  await expect(page.locator("#root .event-card").first()).toBeVisible();
  await untilQuiet(page);
  const weights = await Promise.all([...scripts].map(async (url) => [url, await weigh(url)] as const));
  const total = weights.reduce((sum, [, bytes]) => sum + bytes, 0);
  const what = weights.map(([url, bytes]) => `${bytes} ${url}`).join("\n");
  expect(total, what).toBeGreaterThan(50_000);
  expect(total, what).toBeLessThanOrEqual(LIMIT);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(REQUESTS);
  // Chromium heeds it at the very beginning of a file alone.
  const file = [...scripts].find((url) => /\/assets\/site-[^/]*\.js$/.test(url)) ?? "";
  expect(await (await page.request.get(file)).text()).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
});

const PHONE = { width: 390, height: 844 };
/** What of a page's first screen is compared with the site's own. */
const PARTS = ["header.header", "main h1", ".hero__picture", ".stage", ".hero__text"];

/** Where each part stands that is shown. */
const placesOf = (page: Page) =>
  page.evaluate((parts) => {
    const shown = parts.map((part) => {
      const found = [...document.querySelectorAll(part)].find((element) => element.getClientRects().length > 0);
      const box = found?.getBoundingClientRect();
      return [part, box ? [box.left, box.top, box.height].map(Math.round) : null] as const;
    });
    return Object.fromEntries(shown);
  }, PARTS);

/** Has the page write down how much of it moves, from its beginning. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: "layout-shift", buffered: true });
  });

const shiftsOf = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0));

test("an event's page that a browser opens first moves nothing, while its start brings what it costs (FAST-1)", async ({
  browser,
  worker,
}) => {
  for (const viewport of [PHONE, { width: 1350, height: 940 }]) {
    const page = await browser.newPage({ viewport, baseURL: worker.origin });
    await watchShifts(page);
    await page.goto("/watch/1");
    await expect(page.locator("#first")).toHaveCount(0);
    await expect(page.locator(".price-sum").first()).toBeAttached();
    await untilQuiet(page);
    expect(await shiftsOf(page), `${viewport.width}`).toBeLessThanOrEqual(SHIFT);
    await page.close();
  }
});

test("the scripts are asked for once the first screen is painted, and no picture holds them up for long (FAST-10)", async ({
  browser,
  worker,
}) => {
  for (const isHeld of [false, true]) {
    const context = await browser.newContext({ viewport: PHONE, baseURL: worker.origin, serviceWorkers: "block" });
    const page = await context.newPage();
    const held: (() => void)[] = [];
    if (isHeld) {
      await page.route("**/*", async (route) => {
        if (route.request().resourceType() === "image") await new Promise<void>((resolve) => held.push(resolve));
        await route.continue();
      });
    }
    await page.goto("/", { waitUntil: "commit" });
    await expect
      .poll(() => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length))
      .toBeGreaterThan(0);
    const hasScript = () =>
      page.evaluate(() =>
        performance.getEntriesByType("resource").some(({ name }) => /\/assets\/site-[^/]*\.js$/.test(name)),
      );
    await expect.poll(hasScript).toBe(true);
    const times = await page.evaluate(() => {
      const all = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      const picture = document.querySelector<HTMLImageElement>("#first .hero__picture [fetchpriority]")?.currentSrc;
      return {
        read: (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming).domInteractive,
        painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
        picture: all.find(({ name }) => name === picture)?.responseEnd ?? null,
        script: all.find(({ name }) => /\/assets\/site-[^/]*\.js$/.test(name))?.startTime ?? Number.NaN,
      };
    });
    // Where the processors are slow as well, half a second is over before all is painted.
    const latest = times.read + 400;
    const painted = isHeld ? latest : Math.max(times.painted, times.picture ?? Number.POSITIVE_INFINITY);
    expect(times.script, JSON.stringify(times)).toBeGreaterThanOrEqual(Math.min(painted, latest));
    for (const release of held) release();
    await expect(page.locator("#first")).toHaveCount(0);
    await context.close();
  }
});

test("the first screen comes with the page, and the site takes its place without a jump (FAST-1, FAST-2, FAST-3)", async ({
  page,
}) => {
  await watchShifts(page);
  const calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.serviceWorker() === null && pathname.startsWith("/api/")) calls.push(pathname.slice(4));
  });
  for (const [size, path] of [
    [PHONE, "/"],
    [{ width: 1440, height: 900 }, "/"],
    [PHONE, "/watch/1"],
    [PHONE, "/upcoming"],
    [PHONE, "/vod_library"],
  ] as const) {
    calls.length = 0;
    await page.setViewportSize(size);
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/site-[^/]*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(path, { waitUntil: "commit" });
    const first = page.locator("#first");
    await expect(first.getByRole("heading", { level: 1 })).toBeVisible();
    await page.evaluate(() => document.fonts.ready);
    // Its pictures are there, so that what follows them stands where it will.
    await expect
      .poll(() => first.locator("img").evaluateAll((all) => all.every((one) => (one as HTMLImageElement).complete)))
      .toBe(true);
    const before = await placesOf(page);
    // What moved as the font came is another matter: nothing moves from here on.
    await page.evaluate(() => {
      (window as unknown as { shifts: number[] }).shifts.length = 0;
    });
    release();
    await expect(first).toHaveCount(0);
    await expect(page.locator("#root h1").first()).toBeVisible();
    const after = await placesOf(page);
    for (const [part, place] of Object.entries(before)) {
      if (place === null) continue;
      for (const [index, value] of place.entries())
        expect(
          Math.abs((after[part]?.[index] ?? Number.NaN) - value),
          `${path} ${size.width} ${part}: ${place} ${after[part]}`,
        ).toBeLessThanOrEqual(2);
    }
    await untilQuiet(page);
    const shift = await shiftsOf(page);
    expect(shift, `${path} ${size.width}`).toBeLessThanOrEqual(SHIFT);
    // What earlier pages showed may be asked for again: it is not of this page's first screen.
    const carried = ["/channel-bootstrap-data", "/participants"];
    if (path === "/") carried.push("/events-for-homepage");
    if (path === "/watch/1") carried.push("/events/1");
    if (path === "/vod_library") carried.push("/vod-media-rails", "/vod-media-categories");
    const own = calls.filter((call) => carried.includes(call));
    expect(own, path).toEqual([]);
    await page.unroute(/\/assets\/site-[^/]*\.js$/);
    await page.context().clearCookies();
    await page.evaluate(async () => {
      for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
      for (const name of await caches.keys()) await caches.delete(name);
    });
  }
});
