import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { BINARY } from "../support/worker";

// The score of event 1 changes, which the search doesn't read.
test.use({ serviceWorkers: "block", sharesWorker: true });

const main = (page: Page) => page.getByRole("main");

test("the search opens, moves and closes by keyboard alone, and remembers its query (SEARCH-3a, SEARCH-3b, SEARCH-3e, NAV-9)", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.locator("#root .event-card").first()).toBeVisible();
  // Navigation happens within the loaded page.
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
  // Down from the field to the results, and up to the field again.
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
  // It is stored on this device, and a search without results suggests more.
  await expect(
    page.getByRole("region", { name: "Recent" }).getByRole("link", { name: "northfield kes" }),
  ).toBeVisible();
  await field.fill("lacrosse xq");
  await expect(page.getByRole("heading", { name: "No results for “lacrosse xq”" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Browse by sport" }).getByRole("link").first()).toBeVisible();
  // The menu's schools and teams appear there as well (NAV-7).
  await expect(page.getByRole("region", { name: "Schools" }).getByRole("link", { name: "Northfield" })).toHaveAttribute(
    "href",
    "/?group=northfield",
  );
  await expect(page.getByRole("region", { name: "Teams" }).getByRole("link").first()).toHaveAttribute(
    "href",
    /participant=/,
  );
  await expect(page.getByRole("region", { name: "Live and upcoming" }).getByRole("listitem").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(field).toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/\/search/);
  expect(await isStill()).toBe(true);
});

test("a score entered by the operator appears at once (SCORE-1c)", async ({ page, worker }) => {
  const postScore = (...line: string[]) =>
    execFileSync(BINARY, ["event", "score", "1", ...line, "--channel", "northfield", "--data", worker.data]);
  await page.goto("/watch/1");
  await expect(main(page).locator(".score").first()).toContainText("3rd quarter");
  postScore("50", "52", "--period", "4th quarter");
  await expect(main(page).locator(".score").first()).toContainText("4th quarter");
  await expect(main(page).locator(".score").first()).toContainText("50–52");
  await page.goto("/schedule");
  const live = page.getByRole("region", { name: "Live now" });
  await expect(live.getByText("4th quarter")).toBeVisible();
  await expect(live.getByText("50–52")).toBeVisible();
});
