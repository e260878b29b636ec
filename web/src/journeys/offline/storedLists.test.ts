// @vitest-environment jsdom
import { expect } from "vitest";
import { statusAt } from "../testing/channel/presenter";
import { journey, type Page } from "../testing/journey";

// Offline, a list that can't be loaded contains what is stored, and a number that isn't known isn't shown.

/** Loads the home page, which stores its events, and loses the network. */
async function openHomeAndLoseNetwork(page: Page): Promise<void> {
  await page.goto("/");
  await page.main.sees("Live now");
  await page.settles();
  await page.pass(1_500);
  page.browser.setOnline(false);
}

/** The page says once that it is offline. */
const saysOfflineOnce = (page: Page) => expect(page.text().match(/You’re offline/g)).toHaveLength(1);
const rows = (page: Page): string[] => page.main.all(".fixture-row__name").map((row) => row.textContent ?? "");
const isLoading = (page: Page): boolean => page.main.all("[class*=skeleton]").length > 0;

journey("offline, a pass says nothing about games that it doesn't know (LIST-8b)", async (page) => {
  await openHomeAndLoseNetwork(page);
  await page.goto("/packages");
  await page.main.sees("Which team?");
  await page.pass(1_500);
  expect(page.main.has(/^0 games$/)).toBe(false);
  page.browser.setOnline(true);
  await page.main.sees(/^[1-9]\d* games?$/);
});

for (const path of ["/schedule", "/upcoming", "/live", "/vod", "/schedule?sport=basketball", "/upcoming?state=MN"])
  journey(`offline, ${path} shows the events that the home page stored (LIST-8a, LIST-8b, START-6b)`, async (page) => {
    await openHomeAndLoseNetwork(page);
    await page.goto(path);
    await page.main.appears();
    await page.browser.until(() => expect(rows(page).length).toBeGreaterThan(0));
    await page.main.sees("Showing events saved on this device. There may be more.");
    expect(page.main.text()).not.toMatch(/\b0 events\b|Showing \d+ of/);
    expect(isLoading(page)).toBe(false);
    saysOfflineOnce(page);
  });

journey("a list without stored events says once that the page is offline", async (page) => {
  await openHomeAndLoseNetwork(page);
  await page.goto("/upcoming?city=Nowhere");
  await page.main.sees("Not available offline");
  saysOfflineOnce(page);
  await page.goto("/vod_library");
  await page.main.sees("Not available offline");
  saysOfflineOnce(page);
});

journey("a schedule of live events only is complete, and doesn't load for ever (LIST-6)", async (page) => {
  const { catalogue } = page.channel.state;
  const live = catalogue.events.filter((event) => statusAt(event, Date.now() / 1_000) === "live");
  catalogue.events.splice(0, catalogue.events.length, ...live);
  await page.goto("/schedule");
  await page.main.sees("No upcoming events");
  expect(isLoading(page)).toBe(false);
});

journey("offline, a search finds what is stored (SEARCH-3f)", async (page) => {
  await openHomeAndLoseNetwork(page);
  await page.goto("/search?q=northfield");
  await page.main.sees("Showing results saved on this device. There may be more.");
  await page.main.sees("Northfield Kestrels");
  await page.browser.until(() => expect(rows(page).length).toBeGreaterThan(0));
  saysOfflineOnce(page);
  await page.goto("/search?q=zzzz");
  await page.main.sees("You need a connection to search");
  saysOfflineOnce(page);
});

journey("offline, the library shows the videos that a search stored (LIST-8a)", async (page) => {
  await page.goto("/vod_library?title=goals");
  await page.main.sees("Top ten goals of October");
  await page.settles();
  await page.pass(1_500);
  page.browser.setOnline(false);
  for (const path of ["/vod_library", "/vod_library?title=ten"]) {
    await page.goto(path);
    await page.main.sees("Showing videos saved on this device. There may be more.");
    await page.main.sees("Top ten goals of October");
    saysOfflineOnce(page);
  }
});

journey("offline, a school's page shows its stored events (TEAM-1)", async (page) => {
  await openHomeAndLoseNetwork(page);
  await page.goto("/?school=northfield");
  await page.main.sees("Northfield Kestrels");
  await page.browser.until(() => expect(page.main.text()).toMatch(/Westhaven @ Northfield/));
  saysOfflineOnce(page);
});

journey("offline, a team's page shows its stored events, and no record of only these (TEAM-1)", async (page) => {
  await openHomeAndLoseNetwork(page);
  await page.goto(`/?participant=${encodeURIComponent("Harbor City Gulls")}`);
  await page.browser.until(() => expect(page.main.text()).toMatch(/Harbor City @ Northfield/));
  expect(page.main.all(".team-record")).toHaveLength(0);
});

journey("offline, the lists of a viewer without orders are empty, not unavailable (ORDER-5)", async (page) => {
  await page.signIn();
  await page.goto("/profile");
  await page.main.sees("No active orders");
  await page.main.press("Transactions");
  await page.main.sees("No transactions yet");
  await page.settles();
  await page.pass(1_500);
  page.browser.setOnline(false);
  await page.main.press("Active orders");
  await page.main.sees("No active orders");
  await page.main.press("Transactions");
  await page.main.sees("No transactions yet");
  // After a reload the orders are stored; transactions hold names and are not.
  await page.goto("/profile");
  await page.main.sees("No active orders");
});
