import type { Page } from "@playwright/test";
import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

test.use({ sharesWorker: true });

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
/** The most that a part may stand elsewhere once the site has started, pixels, and the most that a start may shift. */
const APART = 2;
const SHIFT = 0.02;
const SITE = /\/assets\/site-[^/]*\.js$/;
const CHANNELS = [
  { host: "127.0.0.1", timezoneId: "America/Chicago" },
  { host: "laurentides.localhost", timezoneId: "America/Toronto" },
] as const;

interface Part {
  readonly text: string;
  readonly box: readonly number[];
}

/** The cards and rows below `root`: what each is called, and where it stands. */
const partsOf = (page: Page, root: string): Promise<Part[]> =>
  page.evaluate((root) => {
    const all = [...document.querySelectorAll(`${root} :is(.event-card, .fixture-row, .next-up)`)];
    return all.map((part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      const text = part.querySelector(":is(.event-card__name, .fixture-row__name, .next-up__name)")?.textContent ?? "";
      return { text, box: [left, top, width, height].map(Math.round) };
    });
  }, root);

/** Opens a page and leaves it without the site's script until it is released. */
async function openFirst(page: Page, path: string): Promise<() => void> {
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(SITE, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  await expect(page.locator("#first").getByRole("heading", { level: 1 })).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  return release;
}

/** The pictures of the first screen that are in the window, and have none of their pixels. */
const emptyPictures = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLImageElement>("#first img")]
      .filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().top < window.innerHeight)
      .filter((one) => !one.complete || one.naturalWidth === 0)
      .map((one) => one.src.slice(0, 80)),
  );

for (const { host, timezoneId } of CHANNELS) {
  test(`the first screen shows the first of each list, which stands where the site has it: ${host} (FAST-1)`, async ({
    browser,
    worker,
  }) => {
    test.setTimeout(240_000);
    for (const viewport of [PHONE, DESKTOP]) {
      for (const [path, least] of [
        ["/", 1],
        ["/vod_library", 3],
        ["/upcoming", 1],
        ["/schedule", 1],
        ["/live", 1],
        ["/vod", 1],
      ] as const) {
        const what = `${path} ${viewport.width}`;
        const baseURL = worker.origin.replace("127.0.0.1", host);
        const context = await browser.newContext({ viewport, baseURL, timezoneId, serviceWorkers: "block" });
        const page = await context.newPage();
        await page.addInitScript(() => {
          const shifts: number[] = [];
          Object.assign(window, { shifts });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
          }).observe({ type: "layout-shift", buffered: true });
        });
        const release = await openFirst(page, path);
        await expect.poll(() => emptyPictures(page), what).toEqual([]);
        const before = await partsOf(page, "#first");
        expect(before.length, what).toBeGreaterThanOrEqual(least);
        expect(
          before.every(({ text }) => text !== ""),
          what,
        ).toBe(true);
        await page.evaluate(() => {
          (window as unknown as { shifts: number[] }).shifts.length = 0;
        });
        release();
        await expect(page.locator("#first")).toHaveCount(0);
        const after = await partsOf(page, "#root");
        for (const [at, { text, box }] of before.entries()) {
          const same = after[at];
          expect(same?.text, `${what} ${at}`).toBe(text);
          for (const [side, value] of box.entries())
            expect(
              Math.abs((same?.box[side] ?? Number.NaN) - value),
              `${what} ${text}: ${box} ${same?.box}`,
            ).toBeLessThanOrEqual(APART);
        }
        await untilQuiet(page);
        const shifted = await page.evaluate(() =>
          (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
        );
        expect(shifted, what).toBeLessThanOrEqual(SHIFT);
        await context.close();
      }
    }
  });
}

for (const { host } of CHANNELS)
  test(`the first screen has the channel's own colours: ${host} (FAST-1)`, async ({ browser, worker }) => {
    const baseURL = worker.origin.replace("127.0.0.1", host);
    const page = await browser.newPage({ viewport: PHONE, baseURL, serviceWorkers: "block" });
    const colours = (root: string) =>
      page.evaluate(
        (root) =>
          ["main", ".header", ".hero__actions .button--primary", ".badge--live", "h1"].map((part) => {
            const element = document.querySelector(`${root} ${part}`);
            const { color, backgroundColor } = getComputedStyle(element ?? document.body);
            return [part, color, backgroundColor, getComputedStyle(document.body).backgroundColor];
          }),
        root,
      );
    const release = await openFirst(page, "/");
    const before = await colours("#first");
    release();
    await expect(page.locator("#first")).toHaveCount(0);
    expect(before).toEqual(await colours("#root"));
    await page.close();
  });

test("the picture that leads the home page is there with it, and arrives anew with another slide alone (FAST-1)", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const arrived: string[] = [];
    Object.assign(window, { arrived });
    document.addEventListener("animationstart", ({ animationName }) => arrived.push(animationName), true);
  });
  const arrived = () =>
    page.evaluate(() => (window as unknown as { arrived: string[] }).arrived.filter((name) => name === "hero-arrive"));
  const release = await openFirst(page, "/");
  release();
  await expect(page.locator("#first")).toHaveCount(0);
  await untilQuiet(page);
  expect(await arrived()).toEqual([]);
  await page.getByRole("button", { name: /^Slide 2 of/ }).click();
  await expect.poll(arrived).toEqual(["hero-arrive"]);
});

test("a list that its address narrows shows its name alone until the site knows what fits (FAST-1)", async ({
  browser,
  worker,
}) => {
  const context = await browser.newContext({ viewport: PHONE, baseURL: worker.origin, serviceWorkers: "block" });
  for (const [address, has] of [
    ["/upcoming?sport=hockey", false],
    ["/upcoming?utm_source=mail", true],
    ["/vod_library?category_id=2", false],
    ["/vod_library", true],
  ] as const) {
    const page = await context.newPage();
    const release = await openFirst(page, address);
    expect((await partsOf(page, "#first")).length > 0, address).toBe(has);
    release();
    await expect(page.locator("#first")).toHaveCount(0);
    await page.close();
  }
  await context.close();
});
