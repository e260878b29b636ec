import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { englishOf } from "../support/french";
import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

test.use({ sharesWorker: true });

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const LAURENTIDES = (origin: string) => origin.replace("127.0.0.1", "laurentides.localhost");

/** What axe holds against the page, once its content is there, in words. */
async function faultsOf(page: Page): Promise<string[]> {
  // No page here has a frame of another origin: axe needs no page of its own to join what frames answer.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().withTags(RULES).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** What is too wide for the window. */
async function widthFaults(page: Page): Promise<string[]> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return over > 0 ? [`${over} px too wide`] : [];
}

/** What is wrong with a page on a phone and on a desktop, and, where it ought to be French, what of it is not. */
async function everyFault(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const isSecond = new URL(page.url()).hostname.startsWith("laurentides");
  for (const width of [320, 390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    // A desktop at 400 %: the page is read without scrolling sideways; the rules are looked at where people are. The
    // second channel has other colours and texts, and the same layout.
    const looks = width === 390 || (width === 1440 && !isSecond);
    const found = [...(looks ? await faultsOf(page) : []), ...(await widthFaults(page))];
    for (const fault of found) faults.push(`${width} px: ${fault}`);
  }
  if (isSecond) faults.push(...(await englishOf(page)));
  return faults.map((fault) => `${page.url()}: ${fault}`);
}

/** Where the content of each page can be told by. */
const PAGES = [
  { path: "/", shows: "section .event-card" },
  { path: "/?participant=101", shows: ".event-card" },
  { path: "/?group=1", shows: ".team-head" },
  { path: "/schedule", shows: ".fixture-row--columns" },
  { path: "/live", shows: ".fixture-row--columns" },
  { path: "/search?q=hockey", shows: ".search__section" },
  { path: "/search?q=xqzzy", shows: ".search__nothing" },
  { path: "/watch/1", shows: "main h1" },
  { path: "/watch/4", shows: "main h1" },
  { path: "/packages", shows: "main h2" },
  { path: "/vod_library", shows: "main h2" },
  { path: "/vod_library/1", shows: "main h1" },
  { path: "/login", shows: "main form" },
  { path: "/registration", shows: "main form" },
  // A channel that links no device leads to the login.
  { path: "/device", shows: ".device-code, main form" },
  { path: "/password-reset-request", shows: "main form" },
  { path: "/verify-notice", shows: "main h1" },
  { path: "/faq", shows: "main h2" },
  { path: "/about", shows: "main h1" },
  { path: "/contacts", shows: "main h1" },
  { path: "/404", shows: "main h1" },
] as const;

const VIEWER_PAGES = [
  "/",
  "/buy?type=event&event_id=1",
  "/select-package/2",
  "/profile",
  "/profile/transactions",
  "/profile/clips",
  "/profile/favourites",
  "/profile/edit",
  "/profile/sessions/add",
] as const;

test.use({ contextOptions: { reducedMotion: "reduce" } });

for (const channel of ["northfield", "laurentides"] as const) {
  const originOf = (origin: string) => (channel === "laurentides" ? LAURENTIDES(origin) : origin);

  test(`the pages of ${channel} can be used by everyone`, async ({ page, worker }) => {
    test.setTimeout(240_000);
    const faults: string[] = [];
    for (const { path, shows } of PAGES) {
      await page.goto(`${originOf(worker.origin)}${path}`);
      await expect(page.locator("#root").locator(shows).first()).toBeVisible();
      await untilQuiet(page);
      faults.push(...(await everyFault(page)));
    }
    // The schedule as cards without its scores, and a report of a problem.
    await page.goto(`${originOf(worker.origin)}/schedule`);
    await page.getByRole("switch", { name: /^(?:Hide scores|Masquer les scores)$/ }).click();
    await page.getByRole("button", { name: /^(?:Cards|Cartes)$/ }).click();
    await expect(page.locator(".events-by-day .event-card").first()).toBeVisible();
    faults.push(...(await everyFault(page)));
    const report = page.getByRole("button", { name: /^(?:Report a problem|Signaler un problème)$/ });
    await report.click();
    await expect(page.getByRole("dialog")).toBeVisible();
    faults.push(...(await everyFault(page)));
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(report).toBeFocused();
    expect(faults).toEqual([]);
  });

  test(`the pages of a viewer of ${channel} can be used by everyone`, async ({ page, worker }) => {
    test.setTimeout(240_000);
    const origin = originOf(worker.origin);
    const faults: string[] = [];
    const look = async () => faults.push(...(await everyFault(page)));
    await page.goto(`${origin}/login`);
    await page.locator("input[name=email]").fill(`demo@${channel}.example`);
    await page.locator("input[name=password]").fill("touchline");
    await page.locator("main form button[type=submit]").click();
    await expect(page).not.toHaveURL(/login/);
    for (const path of VIEWER_PAGES) {
      await page.goto(`${origin}${path}`);
      await expect(page.locator("main h1").first()).toBeVisible();
      await untilQuiet(page);
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
    await page.goto(`${origin}/buy?type=event&event_id=1`);
    await card("4000000000000002");
    const other = page.getByRole("button", { name: /^(?:Use another card|Une autre carte)$/ });
    await expect(other).toBeVisible({ timeout: 30_000 });
    await look();
    await other.click();
    await look();
    await card("4242424242424242");
    const watch = page.getByRole("dialog").getByRole("link", { name: /^(?:Watch|Regarder)$/ });
    await expect(watch).toBeVisible({ timeout: 30_000 });
    await look();
    // What was paid is opened by itself after some seconds, which a slow look may outlast.
    await watch.click({ timeout: 3_000 }).catch(() => undefined);
    await expect(page).toHaveURL(/\/watch\/1/);

    // The player with its controls: what was just paid plays.
    await expect(page.locator(".player__controls")).toBeVisible({ timeout: 30_000 });
    await look();
    await page.goto(`${origin}/profile`);
    await expect(page.locator(".owned").first()).toBeVisible();
    await look();
    expect(faults).toEqual([]);
  });
}
