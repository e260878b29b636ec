import type { Page } from "@playwright/test";
import { edgeChannels, emptyChannels, LONG, MAIN_ROUTES, SIZES } from "../support/edgeChannels";
import { expect, test } from "../support/journey";

test.use({ serviceWorkers: "block" });

/** The page's excess width, and the first elements that cause it. */
const overhang = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = [...document.querySelectorAll("body *")].filter(
      (one) => one.getBoundingClientRect().right > clientWidth + 1 && one.children.length === 0,
    );
    return scrollWidth > clientWidth
      ? [scrollWidth, ...wide.slice(0, 4).map((one) => one.getAttribute("class") ?? one.tagName)]
      : [];
  });

/** The message of each page on an empty channel. */
const EMPTY = {
  home: "Nothing is scheduled yet",
  schedule: "No upcoming events",
  live: "No live events right now",
  "on-demand": "No events on demand yet",
  search: "No results for “wmw”",
  "search-empty": "No results for “xqzzy”",
  packages: "Nothing is for sale right now",
  library: "The library is empty",
  faq: "No questions yet",
} as const;

/** The longest allowed step, ms (LIST-6). Only a quiet machine can show the 50 ms of `make soak`. */
const MAX_STEP_MS = Number(process.env.MAX_STEP_MS ?? 200);

/**
 * The longest task of the page's main thread in a trace, in ms of its own processor time, without waiting for others.
 */
function longestTask(trace: Buffer): number {
  interface Traced {
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    readonly tdur?: number;
    readonly args?: { readonly name?: string };
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly Traced[] };
  const main = traceEvents.find(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith("RunTask") && pid === main?.pid && tid === main?.tid,
  );
  expect(tasks.length).toBeGreaterThan(100);
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000);
}

async function fits(
  page: Page,
  routes: readonly (readonly [string, string])[],
  says: { readonly [name: string]: string } = {},
): Promise<void> {
  for (const [name, path] of routes) {
    await page.goto(path);
    await expect(page.locator("main h1, main h2").first(), path).toBeAttached();
    for (const size of SIZES) {
      await page.setViewportSize(size);
      const sentence = says[name];
      if (sentence !== undefined)
        await expect(page.getByRole("main").getByText(sentence).first(), `${name} at ${size.width} px`).toBeVisible();
      expect.soft(await overhang(page), `${name} at ${size.width} px`).toEqual([]);
    }
  }
}

test.describe("a channel of 2,000 events and 300 teams, with unusual names", () => {
  const channels = edgeChannels();
  test.use({ flags: ["--channels", channels.path] });
  process.on("exit", () => channels.remove());

  test("no main route is wider than its screen, from 360 to 2560 px and at 200 % zoom; wide screens are used (WIDE-1a, WIDE-1b)", async ({
    page,
  }) => {
    test.setTimeout(180_000);
    await fits(page, MAIN_ROUTES);
    await page.setViewportSize(SIZES[3]);
    await page.goto("/");
    await expect(page.locator("#root .home__rails section").first()).toBeVisible();
    const [content, next, others] = await page.evaluate(() => {
      const box = (query: string) => document.querySelector(query)?.getBoundingClientRect();
      return [
        box(".home__rails")?.width ?? 0,
        box("[aria-labelledby=upcoming]")?.left ?? 0,
        box("[aria-labelledby=finished]")?.right ?? 0,
      ];
    });
    expect(content).toBeGreaterThan(2_000);
    expect(next, "upcoming and past events are side by side").toBeGreaterThanOrEqual(others);
    // Columns grow in number, and lines of text stay short.
    await page.goto("/vod_library?category_id=1");
    const columns: number[] = [];
    for (const size of SIZES.toSorted((a, b) => a.width - b.width)) {
      await page.setViewportSize(size);
      const grid = page.locator("main ul.card-grid").first();
      columns.push(await grid.evaluate((list) => getComputedStyle(list).gridTemplateColumns.split(" ").length));
    }
    expect(columns).toEqual(columns.toSorted((a, b) => a - b));
    expect(columns.at(-1)).toBeGreaterThan((columns[0] ?? 0) + 2);
    await page.goto("/terms_conditions");
    await expect(page.locator("main p").first()).toBeVisible();
    const lines = await page.locator("main p").evaluateAll((all) =>
      all.map((paragraph) => {
        const range = document.createRange();
        range.selectNodeContents(paragraph);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return (paragraph.textContent ?? "").length / Math.max(1, tops.size);
      }),
    );
    expect(lines.length).toBeGreaterThan(0);
    expect(Math.max(...lines)).toBeLessThan(110);
    await page.goto("/");
    // The slide with the longest name leaves its buttons and the slides' indicators on the screen.
    await page.locator(".hero__choose").first().click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText(LONG);
    for (const size of [SIZES[2], SIZES[3]]) {
      await page.setViewportSize(size);
      for (const part of [page.locator(".hero__actions a").last(), page.locator(".hero__choose").first()])
        await expect(part, `${size.width} px`).toBeInViewport({ ratio: 1 });
    }
  });

  test("jumping, filtering and scrolling through two thousand events never blocks the page for long (LIST-6e)", async ({
    page,
    browser,
  }) => {
    test.setTimeout(120_000);
    await page.setViewportSize(SIZES[2]);
    await page.goto("/schedule");
    await expect(page.getByRole("main").getByRole("link", { name: "All 2,000" })).toBeVisible();
    // Finding by role runs a script of the test's own, which takes longer than the page's own work.
    const row = page.locator(".fixture-row--columns").first();
    const more = page.locator(".events__more button");
    const sport = page.locator(".filter-bar__row select").nth(1);
    const date = page.locator(".day-strip__jump input");
    await expect(date).toHaveAttribute("max", /^\d/);
    const last = (await date.getAttribute("max")) ?? "";
    const rounds: number[] = [];
    // The best of three rounds counts, since the first compiles its code.
    for (let round = 0; round < 3 && rounds.every((longest) => longest > MAX_STEP_MS); round++) {
      await browser.startTracing(page, { categories: ["toplevel"] });
      for (let part = 0; part < 4; part++) {
        await more.click();
        await expect(more).toBeEnabled();
        await page.mouse.wheel(0, 4_000);
      }
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.locator(".day-strip > a").nth(1).click();
      await expect(row).toBeVisible();
      await sport.selectOption({ index: 1 });
      await expect(page).toHaveURL(/sport=/);
      await expect(row).toBeVisible();
      await sport.selectOption("");
      await expect(page).not.toHaveURL(/sport=/);
      await expect(row).toBeVisible();
      await date.fill(last);
      await expect(page).toHaveURL(new RegExp(`date=${last}`));
      await expect(row).toBeVisible();
      await page.locator(".day-strip__today").click();
      await expect(row).toBeVisible();
      rounds.push(longestTask(await browser.stopTracing()));
    }
    test.info().annotations.push({ type: "longest task, ms of the processor", description: rounds.join(" ") });
    expect(Math.min(...rounds)).toBeLessThanOrEqual(MAX_STEP_MS);
  });
});

test.describe("an empty channel", () => {
  const channels = emptyChannels();
  test.use({ flags: ["--channels", channels.path] });
  process.on("exit", () => channels.remove());

  test("says so on each page, at every width (WIDE-1b)", async ({ page }) => {
    test.setTimeout(120_000);
    const routes = MAIN_ROUTES.filter(([name]) => !["team", "school", "team-pass", "watch"].includes(name));
    // All but the login have something to show.
    expect(Object.keys(EMPTY)).toEqual(routes.map(([name]) => name).filter((name) => name !== "login"));
    await fits(page, routes, EMPTY);
  });
});

test.describe("a television", () => {
  test.use({ viewport: { width: 1920, height: 1080 }, hasTouch: true, isMobile: true });

  test("can be used with a remote's four arrows and its button alone (WIDE-2)", async ({ page }) => {
    await page.goto("/");
    await expect(page.locator("#root .event-card").first()).toBeVisible();
    const here = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    // The first press enters the page, the next ones move on it.
    await page.keyboard.press("ArrowDown");
    await expect.poll(here).not.toBe("");
    await page.keyboard.press("ArrowRight");
    for (let press = 0; press < 12 && (await here()) !== "Schedule"; press++) await page.keyboard.press("ArrowRight");
    expect(await here()).toBe("Schedule");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/schedule$/);
    await expect(page.locator("#root .fixture-row--columns").first()).toBeVisible();
    const inRows = () => page.evaluate(() => document.activeElement?.closest(".fixture-row") !== null);
    for (let press = 0; press < 20 && !(await inRows()); press++) await page.keyboard.press("ArrowDown");
    expect(await inRows()).toBe(true);
  });
});
