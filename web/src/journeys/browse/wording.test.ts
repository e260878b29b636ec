// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey } from "../testing/journey";

const TITLE = "Harbor City @ Northfield";
/** A game as its file names it. */
const SPELLED = "Harbor City Gulls at Northfield Kestrels";

journey(
  "a game sold individually has one title and one term, and no false promises (EVENT-2, USER-2)",
  async (page) => {
    await page.signIn();
    await page.goto("/passes");
    await page.sees("Each pass is a one-time payment, with no renewal.");
    await page.goto("/watch/1");
    await page.main.press(/^Buy for/);
    await page.payWith(CARDS.pays);
    await page.sees("Paid. Enjoy the game.");

    await page.goto("/live?tab=passes");
    await page.within(".fixture-row", "Purchased").appears();
    await page.goto("/");
    await page.within(".pass-row", TITLE).appears();
    await page.goto("/profile");
    await page.within(".owned", TITLE).appears();
    expect(page.main.has(SPELLED)).toBe(false);
    // Opened directly, the page has the same title.
    await page.goto("/profile/transactions");
    await page.within(".transactions__what", TITLE).appears();
    await page.press(/^Receipt/);
    await page.within(".receipt__lines", TITLE).appears();
    expect(page.main.has(SPELLED)).toBe(false);

    // A subscription opens the library, and no pass does.
    await page.goto("/vod_library/4");
    await page.main.sees("Subscribe to watch this video.");
    expect(page.main.can("See packages")).toBe(true);
  },
);

journey("a viewer who may neither clip nor watch the library gets no links to either (USER-2)", async (page) => {
  await page.signIn({ capabilities: ["watch", "no_ads"] });
  await page.goto("/vod_library/4");
  await page.main.sees("Your account doesn’t include the library.");
  expect(page.main.can("See packages")).toBe(false);
  await page.goto("/profile/clips");
  await page.main.sees("Your account can’t create clips.");
  expect(page.main.can("Recordings")).toBe(false);
  const bar = page.within(".bottom-bar");
  await bar.sees("Home");
  expect(bar.has("Clips")).toBe(false);
});
