// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

const notices = (page: Page) => page.within('[aria-label="Notifications"]');
const follow = (page: Page, name: string) => page.press(`Add to favourites: ${name}`);
/** The list of the viewer's favourites, by its heading. */
const followed = (page: Page) => page.within("main section", /^Following/);

journey(
  "a visitor who presses a heart is sent to the login, with a reason for five seconds (FAV-4, TOAST-1, USER-4)",
  async (page) => {
    await page.goto("/");
    await follow(page, "Northfield");
    await page.isAt("/login");
    await notices(page).sees("Log in to save favourites.");
    expect(notices(page).all(".toast--info")).toHaveLength(1);
    await page.pass(3_000);
    expect(notices(page).has("Log in to save favourites.")).toBe(true);
    await page.pass(2_500);
    await page.lacks("Log in to save favourites.");
  },
);

journey(
  "sports, schools and teams are followed from their pages, listed on one page, and come first on the home page (FAV-3, FAV-4, CALL-9, USER-4)",
  async (page) => {
    const vera = await page.signIn();
    await page.goto("/?sport=hockey");
    await follow(page, "Hockey");
    await page.goto("/?group=northfield");
    await follow(page, "Northfield Kestrels");
    await page.goto("/");
    await page.main.sees("Your favourites");
    expect(page.all("main section[aria-labelledby]")[0]?.textContent).toContain("Your favourites");
    await page.press("See all");
    await page.isAt("/profile/favourites");
    await followed(page).sees("Hockey");
    await page.browser.until(() => expect(followed(page).all("li")).toHaveLength(2));
    // A removal can be undone for eight seconds.
    await followed(page).press("Remove from favourites: Hockey");
    await followed(page).lacks("Hockey");
    await notices(page).press("Undo");
    await followed(page).sees("Hockey");
    await notices(page).lacks("Undo");
    await followed(page).press("Remove from favourites: Hockey");
    await page.pass(7_500);
    expect(notices(page).can("Undo")).toBe(true);
    await page.pass(1_000);
    expect(notices(page).can("Undo")).toBe(false);
    await page.press("Add to favourites: Volleyball");
    await followed(page).sees("Volleyball");
    await page.reload();
    await followed(page).sees("Volleyball");
    await page.browser.until(() => expect(vera.favourites).toHaveLength(2));
  },
);

journey("a favourite survives a reload, and belongs to its viewer only (FAV-1)", async (page) => {
  await page.signIn();
  await page.goto("/");
  await follow(page, "Northfield");
  await page.browser.until(() => expect(page.channel.requests("POST /api/favorite")).toHaveLength(1));
  await page.reload();
  await page.main.sees("Your favourites");
  expect(page.all("[aria-pressed=true]").length).toBeGreaterThan(0);
  await page.goto("/profile");
  await page.main.press("Log out");
  await page.within("header").sees(/^log in$/i);
  await page.goto("/");
  await page.main.sees("Schools");
  expect(page.all("[aria-pressed=true]")).toHaveLength(0);
  expect(page.text()).not.toContain(VERA.first_name);
});
