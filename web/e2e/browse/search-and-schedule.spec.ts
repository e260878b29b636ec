import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { BINARY } from "../support/worker";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const SIZES = [
  ["phone", PHONE],
  ["desktop", DESKTOP],
] as const;

const main = (page: Page) => page.getByRole("main");

for (const [name, viewport] of SIZES) {
  test(`${name}: a search is begun, moved in, opened and closed by keys alone, and is kept (SEARCH-3, NAV-9)`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport);
    await page.goto("/");
    await expect(page.locator("#root .event-card").first()).toBeVisible();
    // Whoever goes from page to page stays in the one that was loaded.
    const loaded = await page.evaluateHandle(() => document.documentElement);
    const isStill = () => loaded.evaluate((root) => root === document.documentElement).catch(() => false);
    await page.keyboard.press("/");
    const field = page.getByRole("searchbox");
    await expect(field).toBeFocused();
    await page.keyboard.type("kestrles");
    await expect(page).toHaveURL(/\/search\?q=kestrles$/);
    const games = page.getByRole("region", { name: "Games" });
    await expect(games.getByRole("listitem").first()).toBeVisible();
    for (const group of ["Teams", "Schools"]) await expect(page.getByRole("region", { name: group })).toBeVisible();
    // Down from the field to what was found, and up to the field again.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect(field).not.toBeFocused();
    await page.keyboard.press("Escape");
    await expect(field).toBeFocused();
    await field.fill("northfield kes");
    await expect(main(page).locator(".search__top")).toContainText("Northfield Kestrels");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Northfield Kestrels" }).first()).toBeVisible();
    expect(await isStill()).toBe(true);
    await page.goBack();
    // It is kept on this device, and found nothing leads on.
    await expect(
      page.getByRole("region", { name: "Recent" }).getByRole("link", { name: "northfield kes" }),
    ).toBeVisible();
    await field.fill("lacrosse xq");
    await expect(page.getByRole("heading", { name: "Nothing for “lacrosse xq”" })).toBeVisible();
    await expect(page.getByRole("region", { name: "The sports there are" }).getByRole("link").first()).toBeVisible();
    // The menu's schools and teams stand there as well (NAV-7).
    await expect(
      page.getByRole("region", { name: "Schools" }).getByRole("link", { name: "Northfield" }),
    ).toHaveAttribute("href", "/?group=northfield");
    await expect(page.getByRole("region", { name: "Teams" }).getByRole("link").first()).toHaveAttribute(
      "href",
      /participant=/,
    );
    await expect(page.getByRole("region", { name: "On now and next" }).getByRole("listitem").first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(field).toHaveValue("");
    await page.keyboard.press("Escape");
    await expect(page).not.toHaveURL(/\/search/);
    expect(await isStill()).toBe(true);
  });
}

test("an older answer never stands in the place of a newer one, and without a network the page says so (SEARCH-3)", async ({
  page,
  context,
}) => {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/\/api\/search\?.*q=hockey/, async (route) => {
    await held;
    // The page no longer waits for it.
    await route.continue().catch(() => undefined);
  });
  await page.goto("/search?q=hockey");
  const field = page.getByRole("searchbox");
  await field.fill("volleyball");
  const games = page.getByRole("region", { name: "Games" });
  await expect(games.getByText("volleyball").first()).toBeVisible();
  letGo();
  await field.fill("volleyball women");
  await expect(games.getByText("Women’s volleyball").first()).toBeVisible();
  await expect(games.getByText("hockey")).toHaveCount(0);
  await context.setOffline(true);
  await field.fill("wrestling");
  await expect(page.getByText("Searching needs a connection")).toBeVisible();
});

for (const [name, viewport] of SIZES) {
  test(`${name}: the schedule is a list by day, with days to jump to, kept in its address (LIST-2, LIST-6)`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport);
    await page.goto("/schedule");
    const days = page.getByRole("navigation", { name: "Days" });
    await expect(page.locator("#root .fixture-row--columns").first()).toBeVisible();
    await expect(page.getByRole("region", { name: "Live now" })).toBeVisible();
    await expect(days.getByRole("link", { name: /^Today, .*\d+ events?$/ })).toHaveAttribute("aria-current", "date");
    await page
      .getByRole("main")
      .getByRole("link", { name: /^Earlier: / })
      .click();
    await expect(page).toHaveURL(/\/schedule\?date=\d{4}-\d\d-\d\d$/);
    const chosen = days.locator("[aria-current=date]");
    await expect(chosen).not.toHaveAccessibleName(/^Today/);
    // By keys: along the days, and on.
    await chosen.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await expect(page.locator(".events-by-day__day").first()).toBeVisible();
    await page.reload();
    await expect(days.locator("[aria-current=date]")).toBeVisible();
    await days.getByLabel("Jump to a date").fill("2026-01-02");
    await expect(page).toHaveURL(/date=2026-01-02/);
    await days.getByRole("link", { name: "Today", exact: true }).click();
    await expect(page).toHaveURL(/\/schedule$/);
    await main(page).getByRole("button", { name: "Cards" }).click();
    await expect(page.locator(".events-by-day .event-card").first()).toBeVisible();
  });
}

test("a score that the operator says is seen at once, and hidden from who does not want to know (SCORE-1, SCORE-2)", async ({
  page,
  worker,
}) => {
  const say = (...line: string[]) =>
    execFileSync(BINARY, ["event", "score", "1", ...line, "--channel", "northfield", "--data", worker.data]);
  await page.goto("/watch/1");
  await expect(main(page).locator(".score").first()).toContainText("3rd quarter");
  say("50", "52", "--period", "4th quarter");
  await expect(main(page).locator(".score").first()).toContainText("4th quarter");
  await expect(main(page).locator(".score").first()).toContainText("50–52");
  await page.goto("/schedule");
  const live = page.getByRole("region", { name: "Live now" });
  await expect(live.getByText("4th quarter")).toBeVisible();
  await page.getByRole("switch", { name: "Hide scores" }).click();
  await expect(live.getByText("50–52")).toHaveCount(0);
  await page.reload();
  const show = live.getByRole("button", { name: "Show score: Harbor City @ Northfield" });
  await show.click();
  await expect(live.getByText("50–52")).toBeVisible();
  await expect(live.getByRole("button", { name: /^Show score: Westhaven/ })).toBeVisible();
});

for (const [name, viewport] of SIZES) {
  test(`${name}: a team's page has its crest, record, games, results, recordings, pass and calendar (TEAM-1, TEAM-2, SCORE-3)`, async ({
    page,
    request,
    worker,
  }) => {
    await page.setViewportSize(viewport);
    await page.goto("/?participant=108");
    await expect(page.getByRole("heading", { level: 1, name: "Westhaven Rams" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Record", exact: true })).toContainText(/Won \d+ · Lost \d+/);
    await expect(page.getByRole("region", { name: "Next up" })).toContainText("Westhaven");
    await expect(
      page
        .getByRole("region", { name: "Results" })
        .getByText(/^(Won|Lost|Drawn), /)
        .first(),
    ).toBeVisible();
    await expect(page.getByRole("region", { name: "Recordings" })).toBeVisible();
    await expect(
      page.getByRole("region", { name: "Team pass" }).getByRole("link", { name: "Get the pass" }),
    ).toHaveAttribute("href", /select-package\/2\?participant_id=108/);
    const calendar = page.getByRole("region", { name: "In your calendar" });
    const feed = await calendar.getByRole("link", { name: "Subscribe" }).getAttribute("href");
    expect(feed).toMatch(/^webcal:\/\/.*\/api\/calendar\/teams\/108\.ics$/);
    const text = await (
      await request.get(feed?.replace("webcal://", "http://").replace(/^http:\/\/[^/]+/, worker.origin) ?? "")
    ).text();
    expect(text).toContain("SUMMARY:Westhaven @ Northfield");
    // The school, with all its teams; and the games alone.
    await page.getByRole("region", { name: "School" }).getByRole("link").first().click();
    await expect(page.getByRole("region", { name: "Teams" }).getByRole("link").first()).toBeVisible();
    await page.goBack();
    await page.getByRole("link", { name: "All their games" }).click();
    await expect(page).toHaveURL(/\/schedule\?team=108/);
    for (const row of await page.locator(".events-by-day .fixture-row__name").all())
      await expect(row).toContainText("Westhaven");
  });
}

for (const [name, viewport] of SIZES) {
  test(`${name}: packages say what they hold, until when and what one saves; a team is found by its name (PKG-4, PKG-5)`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport);
    await page.goto("/packages");
    const table = page.getByRole("table");
    for (const row of ["Whole price", "Games to come", "Until", "Saves"])
      await expect(table.getByRole("rowheader", { name: row })).toBeVisible();
    await expect(page.locator(".package-card__facts").first()).toContainText("Games to come");
    const choice = page.getByRole("region", { name: "Team pass" });
    await choice.getByRole("searchbox", { name: "Which team?" }).fill("west");
    await choice.getByRole("radio").first().check({ force: true });
    await expect(choice.getByRole("heading", { name: "Westhaven Rams" })).toBeVisible();
    await choice.getByRole("link", { name: /^Buy for / }).click();
    await expect(page).toHaveURL(/\/select-package\/2\?participant_id=108/);
    await expect(page.getByRole("radio", { name: /Westhaven Rams, \d+ games?/ }).first()).toBeChecked();
    // A wide screen says it in the panel, a phone in the bar over its foot.
    await expect(
      main(page)
        .getByText(/^\d+ games? to come$/)
        .filter({ visible: true }),
    ).toBeVisible();
  });
}
