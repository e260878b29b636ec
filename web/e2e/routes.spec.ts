import type { Page } from "@playwright/test";
import { expect, test } from "./support/journey";
import { register } from "./support/viewer";

/** The heading of an address, and where it leads: by itself, or to another one. */
interface Place {
  readonly path: string;
  readonly heading: string | RegExp;
  readonly leadsTo?: string;
}

const FOR_EVERYONE: readonly Place[] = [
  { path: "/", heading: "Harbor City @ Northfield" },
  { path: "/verify-notice", heading: "Check your email" },
  { path: "/verify-email", heading: "Confirming your email" },
  { path: "/confirm-account-deletion", heading: "Delete your account" },
  { path: "/packages", heading: "Packages" },
  { path: "/passes", heading: "Passes" },
  { path: "/select-package/3", heading: "Volleyball season" },
  { path: "/watch/1", heading: "Harbor City @ Northfield" },
  { path: "/watch_embed/3", heading: "St. Brendan’s @ Cedar Ridge" },
  ...["/upcoming", "/vod", "/live", "/schedule"].map((path) => ({ path, heading: "Schedule" })),
  { path: "/upcoming?type=vod", heading: "Library", leadsTo: "/vod_library" },
  { path: "/vod_library", heading: "Library" },
  { path: "/vod_library/2", heading: "The coaches’ room: zone coverage" },
  { path: "/about", heading: "About" },
  { path: "/contacts", heading: "Contacts" },
  { path: "/faq", heading: "Questions and answers" },
  { path: "/privacy_policy", heading: "Privacy policy" },
  { path: "/terms_conditions", heading: "Terms & conditions" },
  { path: "/season-guide", heading: "Season guide" },
  { path: "/simulate", heading: "Replay" },
  { path: "/404", heading: "This page is lost" },
  { path: "/nowhere/at/all", heading: "This page is lost", leadsTo: "/404" },
  { path: "/watch/first", heading: "This page is lost", leadsTo: "/404" },
];
/** Who logs in by these is sent home when they have. */
const FOR_VISITORS: readonly Place[] = [
  { path: "/login", heading: "Log in" },
  { path: "/registration", heading: "Register" },
  { path: "/password-reset-request", heading: "Reset the password" },
  { path: "/password-reset", heading: "Choose a new password" },
];
const FOR_VIEWERS: readonly Place[] = [
  { path: "/profile", heading: /Verapersonal/ },
  { path: "/profile/transactions", heading: /Verapersonal/ },
  { path: "/profile/receipts/1", heading: "Transactions" },
  { path: "/profile/clips", heading: /Verapersonal/ },
  { path: "/profile/sessions/add", heading: /Verapersonal/ },
  { path: "/profile/edit", heading: "Edit profile" },
];

async function expectPlaces(page: Page, places: readonly Place[]): Promise<void> {
  for (const { path, heading, leadsTo } of places) {
    await page.goto(path, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1, name: heading }), path).toBeVisible();
    expect(new URL(page.url()).pathname, path).toBe(leadsTo ?? new URL(path, page.url()).pathname);
  }
}

test("each address opens its screen, and any other one the lost page (ROUTE-1 to ROUTE-10)", async ({ page }) => {
  await expectPlaces(page, [...FOR_EVERYONE, ...FOR_VISITORS]);
  await page.goto("/404");
  await page.getByRole("main").getByRole("link", { name: "Home" }).first().click();
  await expect(page).toHaveURL(/\/$/);
  // Of the embedded player the site is left out.
  await page.goto("/watch_embed/3");
  await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
  await expect(page.getByRole("banner")).toHaveCount(0);
  await expect(page.getByRole("contentinfo")).toHaveCount(0);
});

test("a viewer has pages of their own, and is sent home from those that log in (ROUTE-6, NAV-2)", async ({ page }) => {
  for (const { path } of FOR_VIEWERS) {
    await page.goto(path, { waitUntil: "commit" });
    await expect(page, path).toHaveURL(/\/login/);
  }
  await register(page);
  await expectPlaces(page, FOR_VIEWERS);
  await expectPlaces(
    page,
    FOR_VISITORS.map(({ path }) => ({ path, heading: "Harbor City @ Northfield", leadsTo: "/" })),
  );
});

test("a social log-in that this browser did not begin is refused (ROUTE-11)", async ({ page }) => {
  for (const provider of ["google", "facebook"]) {
    await page.goto(`/auth/login/${provider}/callback?code=a&state=of-somebody-else`);
    await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: "Log in" }).first()).toBeVisible();
  }
});

test.describe("a channel's menus", () => {
  test("lead to the pages of its schools, and a link's tracking value goes with what is recorded (NAV-5 to NAV-7)", async ({
    page,
  }) => {
    const told: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/datalake/")) told.push(request.postData() ?? "");
    });
    await page.goto("/?trk=autumn-mail");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Packages" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Packages" })).toBeVisible();
    await page.goto("/faq");
    await expect
      .poll(() => told.filter((body) => body.includes("/faq")).length, { timeout: 20_000 })
      .toBeGreaterThan(0);
    const all = told.join("\n");
    expect(all).toContain("/packages");
    expect(all).toContain("autumn-mail");
    await page.goto("/");
    const school = page.getByRole("link", { name: "Harbor City", exact: true }).first();
    await expect(school).toHaveAttribute("href", /[?&](?:group|participant|school)=/);
  });
});

test("a buy address leads a visitor who came before to the login as well (ROUTE-2)", async ({ page }) => {
  await page.goto("/packages");
  await expect(page.getByRole("main")).toBeVisible();
  await page.goto("/buy?event_id=1");
  await expect(page).toHaveURL(/\/login$/);
});
