import type { Page } from "@playwright/test";
import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

test.use({ sharesWorker: true });

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
/** Limits of the distance between a part's two positions in pixels, and of the start's layout shift. */
const TOLERANCE_PX = 2;
const SHIFT = 0.02;
const SITE = /\/assets\/site-[^/]*\.js$/;

/** A page opened as a first visit. */
interface Visit {
  readonly path: string;
  readonly viewport: { readonly width: number; readonly height: number };
  /** Minimum number of cards and rows on its first screen. */
  readonly minParts: number;
  /** Calls whose answers are embedded in the page (FAST-3). */
  readonly carried?: readonly string[];
}

const CARRIED = ["/channel-bootstrap-data", "/participants"];
const HOME = [...CARRIED, "/events-for-homepage"];
const LIBRARY = [...CARRIED, "/vod-media-rails", "/vod-media-categories"];

/** Each kind of page in both sizes and on both channels. */
const CHANNELS: readonly { readonly host: string; readonly timezoneId: string; readonly visits: readonly Visit[] }[] = [
  {
    host: "127.0.0.1",
    timezoneId: "America/Chicago",
    visits: [
      { path: "/", viewport: PHONE, minParts: 1, carried: HOME },
      { path: "/", viewport: DESKTOP, minParts: 1, carried: HOME },
      { path: "/watch/1", viewport: PHONE, minParts: 0, carried: [...CARRIED, "/events/1"] },
      { path: "/vod_library", viewport: PHONE, minParts: 3, carried: LIBRARY },
      { path: "/upcoming", viewport: PHONE, minParts: 1, carried: CARRIED },
      { path: "/upcoming?utm_source=mail", viewport: DESKTOP, minParts: 1 },
      { path: "/schedule", viewport: DESKTOP, minParts: 1 },
      { path: "/live", viewport: PHONE, minParts: 1 },
      { path: "/vod", viewport: DESKTOP, minParts: 1 },
    ],
  },
  {
    host: "laurentides.localhost",
    timezoneId: "America/Toronto",
    visits: [
      { path: "/", viewport: PHONE, minParts: 1 },
      { path: "/", viewport: DESKTOP, minParts: 1 },
      { path: "/vod_library", viewport: DESKTOP, minParts: 3 },
      { path: "/upcoming", viewport: DESKTOP, minParts: 1 },
      { path: "/schedule", viewport: PHONE, minParts: 1 },
      { path: "/live", viewport: DESKTOP, minParts: 1 },
      { path: "/vod", viewport: PHONE, minParts: 1 },
    ],
  },
];

interface Part {
  readonly text: string;
  readonly box: readonly number[];
}

/** The cards and rows below `root`: their names and positions. */
const partsOf = (page: Page, root: string): Promise<Part[]> =>
  page.evaluate((root) => {
    const all = [...document.querySelectorAll(`${root} :is(.event-card, .fixture-row, .next-up)`)];
    return all.map((part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      const text = part.querySelector(":is(.event-card__name, .fixture-row__name, .next-up__name)")?.textContent ?? "";
      return { text, box: [left, top, width, height].map(Math.round) };
    });
  }, root);

/** Parts of a first screen that are compared with the site's own. */
const PARTS = ["header.header", "main h1", ".hero__picture", ".stage", ".hero__text"];

/** The box of each visible part. */
const boxesOf = (page: Page) =>
  page.evaluate((parts) => {
    const visible = parts.map((part) => {
      const found = [...document.querySelectorAll(part)].find((element) => element.getClientRects().length > 0);
      const box = found?.getBoundingClientRect();
      return [part, box ? [box.left, box.top, box.height].map(Math.round) : null] as const;
    });
    return Object.fromEntries(visible);
  }, PARTS);

const coloursOf = (page: Page, root: string) =>
  page.evaluate(
    (root) =>
      ["main", ".header", ".hero__actions .button--primary", ".badge--live", "h1"].map((part) => {
        const element = document.querySelector(`${root} ${part}`);
        const { color, backgroundColor } = getComputedStyle(element ?? document.body);
        return [part, color, backgroundColor, getComputedStyle(document.body).backgroundColor];
      }),
    root,
  );

interface Recorded {
  readonly shifts: number[];
  readonly arrivals: string[];
}

/** Makes a page record its layout shifts, and each picture that appears with an animation. */
const recordMoves = (page: Page) =>
  page.addInitScript(() => {
    const recorded: Recorded = { shifts: [], arrivals: [] };
    Object.assign(window, { recorded });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        recorded.shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: "layout-shift", buffered: true });
    document.addEventListener("animationstart", ({ animationName }) => recorded.arrivals.push(animationName), true);
  });

/** Discards the shifts so far, which include the font's. */
const forgetMoves = (page: Page) =>
  page.evaluate(() => {
    (window as unknown as { recorded: Recorded }).recorded.shifts.length = 0;
  });
const movesOf = (page: Page): Promise<Recorded> =>
  page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded);

/** Opens a page and holds back the site's script until released. */
async function openFirst(page: Page, path: string): Promise<() => void> {
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(SITE, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  await expect(page.locator("#first").getByRole("heading", { level: 1 })).toBeVisible();
  // The parts of a page that is still arriving have no place yet.
  await page.waitForFunction(
    () =>
      document.readyState !== "loading" &&
      [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].every(({ sheet }) => sheet !== null),
  );
  await page.evaluate(() => document.fonts.ready);
  return release;
}

/** The pictures of the first screen within the window that have no pixels. */
const emptyPictures = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLImageElement>("#first img")]
      .filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().top < window.innerHeight)
      .filter((one) => !one.complete || one.naturalWidth === 0)
      .map((one) => one.src.slice(0, 80)),
  );

/** Opens a page as a first visit, and compares its first screen with the site that replaces it. */
async function expectSameScreens(page: Page, { path, viewport, minParts, carried = [] }: Visit): Promise<void> {
  const what = `${path} ${viewport.width}`;
  const calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) calls.push(pathname.slice(4));
  });
  await recordMoves(page);
  const release = await openFirst(page, path);
  await expect.poll(() => emptyPictures(page), what).toEqual([]);
  const before = await partsOf(page, "#first");
  expect(before.length, what).toBeGreaterThanOrEqual(minParts);
  expect(
    before.every(({ text }) => text !== ""),
    what,
  ).toBe(true);
  const boxes = await boxesOf(page);
  const colours = await coloursOf(page, "#first");
  await forgetMoves(page);
  release();
  await expect(page.locator("#first")).toHaveCount(0);
  await expect(page.locator("#root h1").first()).toBeVisible();
  if (path === "/" && viewport === PHONE) expect(await coloursOf(page, "#root"), what).toEqual(colours);
  const after = await partsOf(page, "#root");
  const same = await boxesOf(page);
  const isMoved = (was: number, is: number | undefined) => !(Math.abs((is ?? Number.NaN) - was) <= TOLERANCE_PX);
  const apart = [
    ...before.flatMap((part, at) =>
      part.text !== after[at]?.text || part.box.some((value, side) => isMoved(value, after[at]?.box[side]))
        ? [`${part.text} ${part.box} ${after[at]?.text} ${after[at]?.box}`]
        : [],
    ),
    ...Object.entries(boxes).flatMap(([part, box]) =>
      box?.some((value, side) => isMoved(value, same[part]?.[side])) ? [`${part} ${box} ${same[part]}`] : [],
    ),
  ];
  expect(apart, what).toEqual([]);
  await untilQuiet(page);
  const { shifts } = await movesOf(page);
  expect(
    shifts.reduce((sum, one) => sum + one, 0),
    what,
  ).toBeLessThanOrEqual(SHIFT);
  expect(
    calls.filter((call) => carried.includes(call)),
    what,
  ).toEqual([]);
}

const arrivals = async (page: Page) => (await movesOf(page)).arrivals.filter((name) => name === "hero-arrive");

for (const { host, timezoneId, visits } of CHANNELS)
  test(`the first screen comes with the page, and the site replaces it without a layout shift: ${host} (FAST-1a, FAST-1d, FAST-2, FAST-3)`, async ({
    browser,
    worker,
  }) => {
    test.setTimeout(180_000);
    const baseURL = worker.origin.replace("127.0.0.1", host);
    for (const visit of visits) {
      const context = await browser.newContext({
        // A chosen slide arrives; the first one is there.
        reducedMotion: "no-preference",
        viewport: visit.viewport,
        baseURL,
        timezoneId,
        serviceWorkers: "block",
      });
      const page = await context.newPage();
      await expectSameScreens(page, visit);
      if (visit === CHANNELS[0]?.visits[1]) {
        // The leading picture arrives with the page, and is replaced only with another slide.
        expect(await arrivals(page)).toEqual([]);
        await page.getByRole("button", { name: /^Slide 2 of/ }).click();
        await expect.poll(() => arrivals(page)).toEqual(["hero-arrive"]);
      }
      await context.close();
    }
  });

test("a list with filters in its address shows only its name until the site has the results (FAST-1c)", async ({
  browser,
  worker,
}) => {
  const context = await browser.newContext({ viewport: PHONE, baseURL: worker.origin, serviceWorkers: "block" });
  for (const address of ["/upcoming?sport=hockey", "/vod_library?category_id=2"]) {
    const page = await context.newPage();
    const release = await openFirst(page, address);
    expect(await partsOf(page, "#first"), address).toEqual([]);
    release();
    await expect(page.locator("#first")).toHaveCount(0);
    await page.close();
  }
  await context.close();
});

test("a page with two lists keeps its first screen until both have loaded (FAST-1d)", async ({ browser, worker }) => {
  const context = await browser.newContext({ viewport: DESKTOP, baseURL: worker.origin, serviceWorkers: "block" });
  const page = await context.newPage();
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/api\/events\?(?!.*live)/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/schedule", { waitUntil: "commit" });
  await expect(page.locator("#root .events__live .fixture-row").first()).toBeAttached();
  expect(await page.locator("#first").count()).toBe(1);
  release();
  await expect(page.locator("#first")).toHaveCount(0);
  await context.close();
});
