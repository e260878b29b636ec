import type { Page } from "@playwright/test";
import { expect, test } from "./support/journey";
import { register } from "./support/viewer";

const ADD = (name: string) => `Add to favourites: ${name}`;
const REMOVE = (name: string) => `Remove from favourites: ${name}`;

const heart = (page: Page, label: string) => page.getByRole("button", { name: label, exact: true }).first();

test("a visitor who presses a heart is led to the login (FAV-4)", async ({ page }) => {
  await page.goto("/");
  await heart(page, ADD("Northfield")).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByText("Log in to keep favourites.")).toBeVisible();
});

test("sports, schools and teams are followed from their pages, listed on one, and lead the home page (FAV-4)", async ({
  page,
}) => {
  await register(page);
  await page.goto("/?sport=hockey");
  await heart(page, ADD("Hockey")).click();
  await page.goto("/?group=northfield");
  await heart(page, ADD("Northfield Kestrels")).click();
  await page.goto("/watch/1");
  const title = page.getByRole("heading", { level: 1 }).or(page.locator("h2.type-page")).first();
  const event = await title.innerText();
  await page.getByRole("main").locator(".team-card a").first().click();
  await expect(title).not.toHaveText(event);
  const team = await title.innerText();
  await heart(page, ADD(team)).click();
  await expect(heart(page, REMOVE(team))).toBeVisible();
  await page.goto("/");
  const own = page.getByRole("region", { name: "Your favourites" });
  await expect(own.getByRole("article").first()).toBeVisible();
  expect(await own.evaluate((one) => document.querySelector("main section[aria-labelledby]") === one)).toBe(true);
  await own.getByRole("link", { name: "All you follow" }).click();
  await expect(page).toHaveURL(/\/profile\/favourites$/);
  const followed = page.getByRole("region", { name: "You follow" });
  await expect(followed.getByRole("listitem")).toHaveCount(3);
  await followed.getByRole("button", { name: REMOVE("Hockey") }).click();
  await expect(followed.getByRole("listitem")).toHaveCount(2);
  await page
    .getByRole("region", { name: "Sports" })
    .getByRole("button", { name: ADD("Volleyball") })
    .click();
  await expect(followed.getByRole("button", { name: REMOVE("Volleyball") })).toBeVisible();
  await page.reload();
  await expect(followed.getByRole("button", { name: REMOVE("Volleyball") })).toBeVisible();
});
