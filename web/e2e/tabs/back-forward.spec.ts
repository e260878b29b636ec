import type { Page } from "@playwright/test";
import { readSettledStorage } from "../support/browserStorage";
import { WHOLE_BROWSER } from "../support/chromium";
import { expect, untilServed } from "../support/journey";
import { test } from "../support/proxyJourney";
import { readRecords } from "../support/records";
import { register } from "../support/viewer";

// Playwright disables the back-forward cache, and can't wait for a page that returns from it.
test.use({
  launchOptions: { ...WHOLE_BROWSER, ignoreDefaultArgs: ["--disable-back-forward-cache"] },
});

const account = (page: Page) => page.getByRole("banner").getByRole("link", { name: /^Your account/ });
const hearts = (page: Page) => page.getByRole("main").getByRole("button", { name: / favourites: / });

/** Marks the page: a reloaded one has no mark. */
const mark = (page: Page): Promise<void> =>
  page.evaluate(() => {
    document.documentElement.dataset.returned = "no";
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted) document.documentElement.dataset.returned = "yes";
    });
  });

/** Leaves for a document outside the site. */
const leaveSite = (page: Page) => page.goto("/demo/mail");
/** Deferred, because the page is gone before it could answer the call. */
const back = (page: Page): Promise<void> => page.evaluate(() => void setTimeout(() => history.back()));

test("a page restored from the back-forward cache continues, and shows the changes by the service worker and another tab", async ({
  page,
  context,
  between,
  worker,
}) => {
  const favourites = () => readRecords(worker.data).favourites.length;
  await page.goto("/");
  await untilServed(page);
  await register(page);
  await page.goto("/watch/25");
  await expect(hearts(page).first()).toBeVisible();
  // The browser doesn't cache a page with work in progress.
  await readSettledStorage(page);
  await mark(page);
  await leaveSite(page);
  await back(page);
  await expect(page.locator("html")).toHaveAttribute("data-returned", "yes");
  await hearts(page).first().click();
  await expect.poll(favourites).toBe(1);

  // Unsent events are sent once the page is left.
  let isDown = true;
  let refused = 0;
  between.answer = ({ url }) => {
    if (url === "/demo/mail") isDown = false;
    if (!isDown || url !== "/api/favorite") return null;
    refused += 1;
    return { status: 503, headers: {}, body: "not now" };
  };
  await hearts(page).nth(1).click();
  await expect.poll(() => refused).toBeGreaterThan(0);
  await leaveSite(page);
  await expect.poll(favourites).toBe(2);
  await back(page);
  for (const heart of [hearts(page).first(), hearts(page).nth(1)])
    await expect(heart).toHaveAttribute("aria-pressed", "true");
  await hearts(page).first().click();
  await expect.poll(favourites).toBe(1);

  // Another tab logs out.
  await readSettledStorage(page);
  await leaveSite(page);
  const other = await context.newPage();
  await other.goto("/profile");
  await other.getByRole("button", { name: "Log out" }).first().click();
  await expect(account(other)).toHaveCount(0);
  await back(page);
  await expect(page.getByRole("banner").getByRole("link", { name: "Log in" })).toBeVisible();
  await expect(account(page)).toHaveCount(0);
});
