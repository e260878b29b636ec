import type { Page } from "@playwright/test";
import { readBrowserStorage } from "../support/browserStorage";
import { expect } from "../support/journey";
import { bankFrame, fillCard, test as inStripe } from "../support/stripe/start";
import { register } from "../support/viewer";

// What the buy page shows where nothing is paid by a press, with Stripe. The same in the sandbox:
// src/journeys/buy/states.test.ts. A payment's own states: stripe.spec, offline/reloads.spec.

const PAYS = "4242 4242 4242 4242";
const ASKS = "4000 0025 0000 3155";
const GAME = "/buy?type=event&event_id=1&single_event_package_id=1001";
const ANSWER_AT_STRIPE = (page: Page) => bankFrame(page).getByRole("button", { name: "Complete" });
/** Behind the question of a bank, too. */
const pay = (page: Page) => page.locator("main button", { hasText: /^Pay / });

/** Nothing to buy, no team, a payment under way on another page, what a pass opens, and what was paid away from its page. */
async function walkStates(page: Page): Promise<void> {
  const bank = ANSWER_AT_STRIPE;
  await register(page);
  await page.goto("/buy?type=package&package_id=999");
  await expect(page.getByText("There is nothing to buy here.")).toBeVisible();
  await page.goto("/buy");
  await expect(page.getByText("There is nothing to buy here.")).toBeVisible();
  await expect(pay(page)).toHaveCount(0);

  await page.goto("/buy?type=package&package_id=2");
  await pay(page).click();
  const team = page.getByLabel("Team", { exact: true });
  await expect(team).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("Package is TeamPass but team not selected")).toBeVisible();
  await fillCard(page, PAYS);
  await pay(page).click();
  await expect(team).toHaveAttribute("aria-invalid", "true");
  await team.selectOption({ index: 1 });
  await expect(team).toHaveAttribute("aria-invalid", "false");

  await page.goto("/buy?type=package&package_id=1");
  await fillCard(page, ASKS);
  // Without a network nothing is bought, then or later: the page says why, and waits for a press (PAY-8).
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/api\/stripe\/(?:buy|setup-intent)$/.test(request.url())) asked.push(request.url());
  });
  await page.context().setOffline(true);
  const why = page.getByRole("main").getByText("You’re offline. Try again when the connection is back.");
  await expect(why).toBeVisible();
  await expect(pay(page)).toBeDisabled();
  await page.context().setOffline(false);
  await expect(why).toHaveCount(0);
  await expect(pay(page)).toBeEnabled();
  expect(asked).toEqual([]);
  await pay(page).click();
  await expect(bank(page)).toBeVisible({ timeout: 20_000 });
  await page.goto(GAME);
  await expect(page.getByText("Your payment for Kestrels winter pass is still under way.")).toBeVisible();
  await expect(pay(page)).toBeDisabled();
  await bank(page).click();
  await expect(page.getByText("You can already watch this event.")).toBeVisible({ timeout: 20_000 });
  // The purchase's own page tells how it ended: to whom that was told elsewhere, that it is theirs.
  await page.goto("/buy?type=package&package_id=1");
  const told = page.getByText(/^Paid\. It is yours\.$|^You already bought this package\.$/).last();
  await expect(told).toBeVisible({ timeout: 30_000 });
  // Behind what is told there is no form that sells it once more.
  await expect(pay(page)).toHaveCount(0);
  // The state is stored within a second or two. Loaded anew, the address says that it is owned, and leads there: what was told once is not told again.
  const stored = async () =>
    JSON.parse((await readBrowserStorage(page))["touchline-state/snapshots/persist:browser"] ?? "{}").purchase;
  await expect.poll(stored).toMatchObject({ at: "succeeded", shown: true });
  await page.goto("/buy?type=package&package_id=1");
  await expect(page.getByText("You already bought this package.")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("main").getByRole("link", { name: "See my orders" }).click();
  await expect(page).toHaveURL(/\/profile$/);
}

inStripe("the buy page says why nothing is paid, with Stripe (PAY-1, PAY-8, PAY-15)", async ({ page, provider }) => {
  await walkStates(page);
  expect(await provider.paid()).toEqual([9550]);
});
