// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

const FIELD = "Search games, teams, schools, videos, clips and pages";
const recent = (page: Page) => page.main.within("section", /^Recent/);

/** Opens the first result of a search, which stores it. */
async function follow(page: Page, query: string): Promise<void> {
  await page.goto(`/search?q=${query}`);
  await page.main.within(".search__section a").appears();
  await page.settles();
  (page.main.all(".search__section a")[0] as HTMLElement).click();
  await page.isAt(/^\/(?!search)/);
  // The state is stored within a second or two.
  await page.pass(2_500);
}

journey("the search opens from the header and by its key on any page (SEARCH-3a)", async (page) => {
  for (const path of ["/faq", "/watch/1", "/packages"]) {
    await page.goto(path);
    await page.within("main h1").appears();
    await page.within("header").press("Search");
    await page.isAt("/search");
    await page.goto(path);
    await page.within("main h1").appears();
    await page.key("/");
    await page.isAt("/search");
    const field = await page.field(FIELD);
    await page.browser.until(() => expect(document.activeElement).toBe(field));
  }
});

journey(
  "results are in groups, with the words highlighted in the top result and in pages (SEARCH-3b)",
  async (page) => {
    const marked = () => page.main.all(".search__results mark").map(({ textContent }) => textContent);
    await page.goto("/search?q=northf%20kes");
    for (const name of [/^Teams/, /^Schools/]) await page.main.within("section", name).appears();
    await page.browser.until(() => expect(marked()).toEqual(["Northf", "Kes"]));
    await page.goto("/search?q=gui");
    await page.main.within("section", /^Pages/).sees("Season guide");
    expect(marked()).toEqual(["gui"]);
  },
);

journey("without results there are the channel's sports and live events (SEARCH-3e)", async (page) => {
  await page.goto("/search?q=zzzz");
  await page.main.sees("No results for “zzzz”");
  await page.main.within("section", /^Browse by sport/).press("Hockey");
  await page.isAt(/sport=hockey/);
  await page.goto("/search?q=zzzz");
  await page.main
    .within("section", /^Live and upcoming/)
    .within('a[href="/watch/1"]')
    .appears();
});

journey("recent searches are their viewer's, until they sign out (SEARCH-3c)", async (page) => {
  await page.signIn();
  await follow(page, "gull");
  await page.goto("/search");
  await recent(page).sees("gull");
  await page.reload();
  await recent(page).sees("gull");
  await page.goto("/profile");
  await page.main.press("Log out");
  await page.within("header").sees(/^log in$/i);
  await page.goto("/search");
  await page.field(FIELD);
  await page.settles();
  expect(page.main.has("gull")).toBe(false);
  // Neither the next visitor's searches nor hers are displayed to her again.
  await follow(page, "rams");
  await page.goto("/search");
  await recent(page).sees("rams");
  await page.goto("/login");
  await page.fill("Email", VERA.email);
  await page.fill(/^Password/, VERA.password);
  await page.main.press("Log in");
  await page.isAt(/^\/(?!login)/);
  await page.goto("/search");
  await page.field(FIELD);
  await page.settles();
  expect([page.main.has("rams"), page.main.has("gull")]).toEqual([false, false]);
});
