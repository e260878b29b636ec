import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { untilSettled } from "../support/settled";

// Positions need a layout; the number of pages and the filters are in `src/journeys/browse/listReturns.test.ts`.

/** Lists, and the links that lead from each to another page. */
const LISTS: readonly (readonly [path: string, links: string])[] = [
  ["/schedule", "a.fixture-row__name"],
  ["/upcoming", "a.fixture-row__name"],
  ["/vod", "a.fixture-row__name"],
  ["/vod_library?category_id=1", "main ul.card-grid a"],
  ["/search?q=north", ".search__section a"],
  ["/?participant=northfield-womens-basketball", "main a[href^='/watch/']"],
];

/** The distance of a list's last link from the window's upper edge, and its address. */
const lastLink = async (page: Page, links: string): Promise<{ href: string | null; top: number }> => {
  if ((await page.locator(links).count()) === 0) return { href: null, top: Number.POSITIVE_INFINITY };
  return page
    .locator(links)
    .last()
    .evaluate((link) => ({ href: link.getAttribute("href"), top: link.getBoundingClientRect().top }));
};

/** Scrolls the list's last link into the window, and opens its page. Returns the link's address and position. */
async function openLast(page: Page, links: string): Promise<{ href: string | null; top: number }> {
  const link = page.locator(links).last();
  await link.scrollIntoViewIfNeeded();
  const before = await link.evaluate((element: HTMLElement) => {
    const { top } = element.getBoundingClientRect();
    element.click();
    return { href: element.getAttribute("href"), top };
  });
  await expect(page).not.toHaveURL((url) => LISTS.some(([path]) => `${url.pathname}${url.search}` === path));
  // The list stays until the page it leads to is loaded.
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await untilSettled(page);
  return before;
}

test("Back leads to the same place of each list, also after a reload of the page that was opened (LIST-7)", async ({
  page,
}) => {
  test.setTimeout(180_000);
  for (const [path, links] of LISTS)
    for (const reloads of [false, true]) {
      await page.goto(path);
      await page.locator(links).first().waitFor();
      await untilSettled(page);
      const more = page.getByRole("main").getByRole("button", { name: /^Show (?:more|earlier days|later days)$/ });
      if (await more.isVisible()) {
        const before = await page.locator(links).count();
        await more.click();
        await expect.poll(() => page.locator(links).count()).toBeGreaterThan(before);
      }
      const { href, top } = await openLast(page, links);
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      if (reloads) {
        await page.reload();
        await untilSettled(page);
      }
      await page.goBack();
      const about = `${path}, ${reloads ? "after a reload" : "at once"}`;
      await expect
        .poll(
          async () => {
            const link = await lastLink(page, links);
            return link.href === href && Math.abs(link.top - top) < 4;
          },
          { message: about },
        )
        .toBe(true);
    }
});
