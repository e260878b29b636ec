// @vitest-environment jsdom
import axe from "axe-core";
import { expect } from "vitest";
import { BROWSER_RULES, VIEWER_PAGES } from "../testing/accessibility";
import { CARDS, journey, type Page } from "../testing/journey";

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const rules = Object.fromEntries(BROWSER_RULES.map((id) => [id, { enabled: false }]));

/** Faults that axe finds in a settled page, by the rules that need no layout. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.settles();
  let violations: axe.Result[] | null = null;
  axe.run(document, { runOnly: STANDARDS, rules, resultTypes: ["violations"] }).then((found) => {
    ({ violations } = found);
  });
  const found = await page.browser.until(() => violations ?? expect.fail("axe has not answered"));
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${page.browser.address}: ${id}: ${target}`));
}

/** Content that identifies each page. */
const PAGES = {
  "the home pages": [
    ["/", "section .event-card"],
    ["/?participant=101", ".event-card"],
    ["/?group=1", ".team-head"],
  ],
  "the lists": [
    ["/schedule", ".fixture-row--columns"],
    ["/live", ".fixture-row--columns"],
    ["/search?q=hockey", ".search__section"],
    ["/search?q=xqzzy", ".search__nothing"],
  ],
  "the watch and buy pages": [
    ["/watch/1", "main h1"],
    ["/watch/4", "main h1"],
    ["/packages", "main h2"],
    ["/vod_library", "main h2"],
    ["/vod_library/1", "main h1"],
  ],
  "the forms and texts": [
    ["/login", "main form"],
    ["/registration", "main form"],
    ["/device", ".device-code"],
    ["/password-reset-request", "main form"],
    ["/verify-notice", "main h1"],
    ["/faq", "main h2"],
    ["/about", "main h1"],
    ["/contacts", "main h1"],
    ["/404", "main h1"],
  ],
} as const;

for (const [what, pages] of Object.entries(PAGES))
  journey(`${what} have accessible names, roles and order`, async (page) => {
    const faults: string[] = [];
    for (const [path, content] of pages) {
      await page.goto(path);
      await page.within(content).appears();
      faults.push(...(await faultsOf(page)));
    }
    expect(faults).toEqual([]);
  });

journey("the schedule as cards and the problem report are accessible", async (page) => {
  await page.goto("/schedule");
  await page.press("Hide scores");
  await page.press("Cards");
  await page.within(".events-by-day .event-card").appears();
  const faults = await faultsOf(page);
  await page.press("Report a problem");
  await page.dialog().appears();
  faults.push(...(await faultsOf(page)));
  expect(faults).toEqual([]);
});

journey("a viewer's pages have accessible names, roles and order", async (page) => {
  await page.signIn();
  const faults: string[] = [];
  for (const path of ["/", ...VIEWER_PAGES]) {
    await page.goto(path);
    await page.within("main h1").appears();
    faults.push(...(await faultsOf(page)));
  }
  // A card that is refused, and one that pays.
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.declines);
  await page.dialog("Payment failed").appears();
  faults.push(...(await faultsOf(page)));
  await page.press("Use another card");
  await page.dialog().goes();
  faults.push(...(await faultsOf(page)));
  await page.payWith(CARDS.pays);
  await page.sees("Paid. Enjoy the game.");
  faults.push(...(await faultsOf(page)));
  await page.goto("/profile");
  await page.within(".owned").appears();
  faults.push(...(await faultsOf(page)));
  expect(faults).toEqual([]);
});
