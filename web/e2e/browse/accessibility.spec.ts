import type { Page } from "@playwright/test";
import axe from "axe-core";
import { BROWSER_RULES, VIEWER_PAGES } from "../../src/journeys/testing/accessibility";
import { englishOf } from "../support/french";
import { expect, test } from "../support/journey";
import { untilSettled } from "../support/settled";

test.use({ serviceWorkers: "block", sharesWorker: true });

const LAURENTIDES = (origin: string) => origin.replace("127.0.0.1", "laurentides.localhost");

/** The page's faults according to axe, as text. `src/journeys/browse/accessibility.test.ts` has its other rules. */
async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const found = await page.evaluate(async (rules) => {
    const { axe: here } = window as never as { axe: typeof axe };
    const { violations } = await here.run(document, { runOnly: { type: "rule", values: [...rules] } });
    return violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(" ")) }));
  }, BROWSER_RULES);
  return found.flatMap(({ id, targets }) => targets.map((target) => `${id}: ${target}`));
}

/** Elements too wide for the window. */
async function widthFaults(page: Page): Promise<string[]> {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return excess > 0 ? [`${excess} px too wide`] : [];
}

/** A page's faults on a phone and on a desktop, including English text on a page that should be French. */
async function everyFault(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const isSecond = new URL(page.url()).hostname.startsWith("laurentides");
  for (const width of [320, 390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    // A desktop at 400 %: the page is readable without scrolling sideways; axe runs at common widths only. The second
    // channel has other colours and texts, and the same layout.
    const isChecked = width === 390 || (width === 1440 && !isSecond);
    const found = [...(isChecked ? await faultsOf(page) : []), ...(await widthFaults(page))];
    for (const fault of found) faults.push(`${width} px: ${fault}`);
  }
  if (isSecond) faults.push(...(await englishOf(page)));
  return faults.map((fault) => `${page.url()}: ${fault}`);
}

/** Content that identifies each page. Neighbours have different titles. */
const PAGES = [
  { path: "/?participant=101", content: ".event-card" },
  { path: "/?group=1", content: ".team-head" },
  { path: "/schedule", content: ".fixture-row--columns" },
  { path: "/search?q=hockey", content: ".search__section" },
  { path: "/search?q=xqzzy", content: ".search__nothing" },
  { path: "/live", content: ".fixture-row--columns" },
  { path: "/watch/1", content: "main h1" },
  { path: "/watch/4", content: "main h1" },
  { path: "/packages", content: "main h2" },
  { path: "/vod_library", content: "main h2" },
  { path: "/vod_library/1", content: "main h1" },
  { path: "/registration", content: "main form" },
  // A channel without linked devices redirects to the login.
  { path: "/device", content: ".device-code, main form" },
  { path: "/password-reset-request", content: "main form" },
  { path: "/verify-notice", content: "main h1" },
  { path: "/faq", content: "main h2" },
  { path: "/about", content: "main h1" },
  { path: "/contacts", content: "main h1" },
  { path: "/404", content: "main h1" },
  { path: "/login", content: "main form" },
] as const;

/** Waits until the page has its content, and is settled. */
async function untilLoaded(page: Page, content: string): Promise<void> {
  await expect(page.locator("#root").locator(content).first()).toBeVisible();
  await untilSettled(page);
}

/** Navigates within the site, without a page load. The next page must have a different title. */
async function navigate(page: Page, path: string, content = "main h1"): Promise<void> {
  const before = await page.title();
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
  await expect(page, path).not.toHaveTitle(before);
  await untilLoaded(page, content);
}

/** A game that hasn't begun, so that its paid dialog stays open, and a video that the demo's viewer may watch. */
const CHANNELS = [
  { channel: "northfield", upcoming: 4, video: "/watch/3" },
  { channel: "laurentides", upcoming: 3, video: "/vod_library/1" },
] as const;

for (const { channel, upcoming, video } of CHANNELS)
  test(`the visitor's and viewer's pages of ${channel} are accessible`, async ({ page, worker }) => {
    test.setTimeout(240_000);
    const faults: string[] = [];
    const look = async () => faults.push(...(await everyFault(page)));
    await page.goto(channel === "laurentides" ? LAURENTIDES(worker.origin) : worker.origin);
    await untilLoaded(page, "section .event-card");
    await look();
    for (const { path, content } of PAGES) {
      await navigate(page, path, content);
      await look();
    }
    // The schedule as cards without its scores, and a problem report.
    await navigate(page, "/schedule", ".fixture-row--columns");
    const hides = page.getByRole("switch", { name: /^(?:Hide scores|Masquer les scores)$/ });
    await hides.click();
    await page.getByRole("button", { name: /^(?:Cards|Cartes)$/ }).click();
    await expect(page.locator(".events-by-day .event-card").first()).toBeVisible();
    await look();
    const report = page.getByRole("button", { name: /^(?:Report a problem|Signaler un problème)$/ });
    // Days that come into view are drawn then.
    await report.scrollIntoViewIfNeeded();
    await report.click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await look();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(report).toBeFocused();
    // The viewer's pages show them.
    await hides.click();

    await navigate(page, "/login", "main form");
    await page.locator("input[name=email]").fill(`demo@${channel}.example`);
    await page.locator("input[name=password]").fill("touchline");
    await page.locator("main form button[type=submit]").click();
    await expect(page).not.toHaveURL(/login/);
    await page.goto(new URL(page.url()).origin);
    await untilLoaded(page, "section .event-card");
    await look();
    for (const path of VIEWER_PAGES) {
      await navigate(page, path);
      await look();
    }

    // A card that is refused, and one that pays.
    const pay = page.getByRole("button", { name: /^(?:Pay|Payer) / });
    const card = async (number: string) => {
      await page.getByRole("radio").last().check({ force: true });
      await page.locator("[autocomplete=cc-number]").fill(number);
      await page.locator("[autocomplete=cc-exp]").fill("12/30");
      await page.locator("[autocomplete=cc-csc]").fill("123");
      await pay.click();
    };
    await navigate(page, `/buy?type=event&event_id=${upcoming}`);
    await card("4000000000000002");
    const other = page.getByRole("button", { name: /^(?:Use another card|Utiliser une autre carte)$/ });
    await expect(other).toBeVisible({ timeout: 30_000 });
    await look();
    await other.click();
    await look();
    await card("4242424242424242");
    const watch = page.getByRole("dialog").getByRole("link", { name: /^(?:Watch|Regarder)$/ });
    await expect(watch).toBeVisible({ timeout: 30_000 });
    await look();
    await watch.click();
    await expect(page).toHaveURL(new RegExp(`/watch/${upcoming}$`));

    await navigate(page, video);
    await page.getByRole("button", { name: /^(?:Watch|Regarder)(?: live)?$/ }).click();
    await expect(page.locator(".player__controls")).toBeVisible({ timeout: 30_000 });
    await look();
    await navigate(page, "/profile");
    await expect(page.locator(".owned").first()).toBeVisible();
    await look();
    expect(faults).toEqual([]);
  });
