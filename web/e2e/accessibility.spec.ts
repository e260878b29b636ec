import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./support/journey";
import { register } from "./support/viewer";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const LAURENTIDES = (origin: string) => origin.replace("127.0.0.1", "laurentides.localhost");

/** What axe holds against the page, once its content is there, in words. */
async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Where the content of each page can be told by. */
const PAGES = [
  { path: "/", shows: "section .event-card" },
  { path: "/upcoming", shows: ".event-card" },
  { path: "/watch/1", shows: "main h1" },
  { path: "/packages", shows: "main h2" },
  { path: "/vod_library", shows: "main h2" },
  { path: "/login", shows: "main form" },
  { path: "/registration", shows: "main form" },
  { path: "/faq", shows: "main h2" },
  { path: "/about", shows: "main h1" },
  { path: "/404", shows: "main h1" },
] as const;

test.use({ contextOptions: { reducedMotion: "reduce" } });

for (const width of [390, 1440]) {
  test(`the pages of both channels can be used by everyone, ${width} px wide`, async ({ page, worker }) => {
    test.setTimeout(240_000);
    await page.setViewportSize({ width, height: 900 });
    const faults: string[] = [];
    for (const origin of [worker.origin, LAURENTIDES(worker.origin)]) {
      for (const { path, shows } of PAGES) {
        await page.goto(`${origin}${path}`);
        await expect(page.locator(shows).first()).toBeVisible();
        for (const fault of await faultsOf(page)) faults.push(`${new URL(page.url()).host}${path}: ${fault}`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) faults.push(`${path}: ${over} px too wide`);
      }
    }
    expect(faults).toEqual([]);
  });
}

test("the pages of a viewer can be used by everyone", async ({ page }) => {
  test.setTimeout(120_000);
  await register(page);
  const faults: string[] = [];
  for (const path of [
    "/",
    "/buy?event_id=1",
    "/select-package/2",
    "/profile",
    "/profile/transactions",
    "/profile/edit",
    "/profile/sessions/add",
  ]) {
    await page.goto(path);
    await expect(page.locator("main h1").first()).toBeVisible();
    await page.waitForLoadState("networkidle");
    for (const fault of await faultsOf(page)) faults.push(`${path}: ${fault}`);
  }
  expect(faults).toEqual([]);
});
