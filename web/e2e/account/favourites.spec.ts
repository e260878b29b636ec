import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { follow, register } from "../support/viewer";

const ADD = (name: string) => `Add to favourites: ${name}`;
const REMOVE = (name: string) => `Remove from favourites: ${name}`;

const notices = (page: Page) => page.getByRole("region", { name: "Notices" }).getByRole("listitem");

const heart = (page: Page, label: string) => page.getByRole("button", { name: label, exact: true }).first();

test("a visitor who presses a heart is led to the login (FAV-4, TOAST-1, USER-4)", async ({ page }) => {
  await page.clock.install();
  await page.goto("/");
  await heart(page, ADD("Northfield")).click();
  await expect(page).toHaveURL(/\/login$/);
  // Said as what nobody says more of is: as information, for five seconds.
  const notice = notices(page).filter({ hasText: "Log in to keep favourites." });
  await expect(notice).toHaveClass(/toast--info/);
  await page.clock.runFor(3_000);
  await expect(notice).toBeVisible();
  await page.clock.runFor(2_500);
  await expect(notice).toHaveCount(0);
});

test("sports, schools and teams are followed from their pages, listed on one, and lead the home page (FAV-3, FAV-4, CALL-9, USER-4)", async ({
  page,
}) => {
  await register(page);
  await page.goto("/?sport=hockey");
  await follow(page, "Hockey");
  await page.goto("/?group=northfield");
  await follow(page, "Northfield Kestrels");
  await page.goto("/watch/1");
  const title = page.getByRole("heading", { level: 1 }).or(page.locator("h2.type-page")).first();
  const event = await title.innerText();
  await page.getByRole("main").locator(".team-card a").first().click();
  await expect(title).not.toHaveText(event);
  const team = await title.innerText();
  await follow(page, team);
  await page.goto("/");
  const own = page.getByRole("region", { name: "Your favourites" });
  await expect(own.getByRole("article").first()).toBeVisible();
  expect(await own.evaluate((one) => document.querySelector("main section[aria-labelledby]") === one)).toBe(true);
  await own.getByRole("link", { name: "All you follow" }).click();
  await expect(page).toHaveURL(/\/profile\/favourites$/);
  const followed = page.getByRole("region", { name: "You follow" });
  await expect(followed.getByRole("listitem")).toHaveCount(3);
  // What was taken away can be had back for eight seconds, and for longer while its notice is looked at.
  const undo = notices(page).getByRole("button", { name: "Undo" });
  await followed.getByRole("button", { name: REMOVE("Hockey") }).click();
  await expect(followed.getByRole("listitem")).toHaveCount(2);
  await undo.click();
  await expect(followed.getByRole("listitem")).toHaveCount(3);
  await expect(undo).toHaveCount(0);
  await page.clock.install();
  await followed.getByRole("button", { name: REMOVE("Hockey") }).click();
  await undo.hover();
  await page.clock.runFor(20_000);
  await expect(undo).toBeVisible();
  await page.mouse.move(0, 0);
  await page.clock.runFor(6_000);
  await expect(undo).toBeVisible();
  await page.clock.runFor(2_500);
  await expect(undo).toHaveCount(0);
  await expect(followed.getByRole("listitem")).toHaveCount(2);
  await page
    .getByRole("region", { name: "Sports" })
    .getByRole("button", { name: ADD("Volleyball") })
    .click();
  await expect(followed.getByRole("button", { name: REMOVE("Volleyball") })).toBeVisible();
  await page.reload();
  await expect(followed.getByRole("button", { name: REMOVE("Volleyball") })).toBeVisible();
  // The worker lists it, once the press has come there, and no longer what was removed.
  await expect(async () => {
    const listed = page.waitForResponse((one) => new URL(one.url()).pathname === "/api/favorites" && one.ok());
    await page.reload();
    const { data } = (await (await listed).json()) as { data: unknown[] };
    expect(data).toHaveLength(3);
  }).toPass();
  await expect(followed.getByRole("listitem")).toHaveCount(3);
});
