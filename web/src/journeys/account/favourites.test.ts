// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";
import type { View } from "../testing/view";

const notices = (page: Page) => page.within('[aria-label="Notifications"]');
const follow = (page: Page, name: string) => page.press(`Add to favourites: ${name}`);
/** The list of the viewer's favourites, by its heading. */
const followed = (page: Page) => page.within("main section", /^Following/);

journey(
  "a visitor who presses a heart is sent to the login, with a reason for five seconds (FAV-4b, TOAST-1, USER-4e)",
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
    page.channel.state.people.add(VERA);
    await page.fill("Email", VERA.email);
    await page.fill(/^Password/, VERA.password);
    await page.main.press("Log in");
    await page.isAt("/");
  },
);

journey(
  "sports, schools and teams are followed from their pages, listed on one page, and come first on the home page (FAV-3, FAV-4c, FAV-4d, CALL-9, USER-4c)",
  async (page) => {
    const vera = await page.signIn();
    await page.goto("/?sport=hockey");
    await follow(page, "Hockey");
    await page.goto("/?group=northfield");
    await follow(page, "Northfield Kestrels");
    await page.goto("/");
    await page.main.sees("Your favourites");
    const [first] = page.all("main section[aria-labelledby]");
    expect(first?.textContent).toContain("Your favourites");
    // Live events before upcoming ones.
    const { events } = page.channel.state.catalogue;
    await page.settles();
    const starts = [...(first?.querySelectorAll("[data-stop]") ?? [])].map(
      (link) => events.find(({ id }) => link.getAttribute("href") === `/watch/${id}`)?.event_utc_ts ?? 0,
    );
    const isLive = starts.map((at) => at * 1_000 < Date.now());
    expect([isLive.includes(true), isLive.includes(false)]).toEqual([true, true]);
    expect(isLive).toEqual(isLive.toSorted((one, other) => Number(other) - Number(one)));
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

journey(
  "hearts are on cards of schools and teams, and on the pages of sports, schools and teams (FAV-4a)",
  async (page) => {
    const has = (view: View, name: string) =>
      page.browser.until(() => expect(view.can(`Add to favourites: ${name}`), name).toBe(true));
    await page.goto("/");
    await has(page.main, "Harbor City");
    await page.goto("/watch/1");
    await has(page.main.within(".watch__teams .team-card", "Northfield"), "Northfield");
    for (const [address, name] of [
      ["sport=hockey", "Hockey"],
      ["group=northfield", "Northfield Kestrels"],
      ["participant=108", "Westhaven Rams"],
    ] as const) {
      await page.goto(`/?${address}`);
      await page.within("main h1", name).appears();
      await has(page.main, name);
    }
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
