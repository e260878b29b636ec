import type { Page } from "@playwright/test";
import { expect, takeLog } from "../support/journey";
import { searchBrowserStorage } from "../support/secrets";
import { bankFrame, cardFrame, fillCard, type Provider, test } from "../support/stripe/start";
import { register } from "../support/viewer";

// The buy page in every state in `stripe` mode: the test provider replaces Stripe's API, and its script Stripe's. The
// same states in the sandbox: offline/reloads.spec, and payment, states, renewals of src/journeys/buy.

const PAID = "Paid. Enjoy the game.";
const GAME = "/buy?type=event&event_id=1&single_event_package_id=1001";
const OTHER_GAME = "/buy?type=event&event_id=2&single_event_package_id=1002";
const THIRD_GAME = "/buy?type=event&event_id=4&single_event_package_id=1004";
const PASS = "/buy?type=package&package_id=1";
const BANK_TITLE = "Confirm with your bank";

const pay = (page: Page) => page.getByRole("button", { name: /^Pay / });
const failed = (page: Page) => page.getByRole("dialog", { name: "Payment failed" });
const otherCard = (page: Page) => page.getByRole("button", { name: "Use another card" });

/** Enters a card and presses. */
async function payWith(page: Page, number: string): Promise<void> {
  await fillCard(page, number);
  await pay(page).click();
}

/** Opens a page in the running site, as a link would. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(pay(page)).toBeEnabled();
}

/** The number of payments, and of those that may still move money. */
async function countPayments(provider: Provider): Promise<{ made: number; open: number }> {
  const { intents } = await provider.books();
  const open = intents.filter(({ status }) => status !== "succeeded" && status !== "canceled");
  return { made: intents.length, open: open.length };
}

test("a card is refused at entry and for each of the bank's reasons, finally pays, and everything is refunded (PAY-2a, PAY-11a, PAY-11d, PAY-11e, ORDER-2b, ORDER-3, ORDER-5b, PAY-15a)", async ({
  page,
  provider,
}) => {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (request.url().startsWith(provider.origin)) fetched.push(request.url());
  });
  await register(page);
  await page.goto("/watch/1");
  await expect(page.getByRole("main").getByRole("link", { name: "Buy for $8.59" }).first()).toBeVisible();
  expect(fetched, "Stripe's script is loaded where a card is entered, and nowhere before").toEqual([]);

  await open(page, GAME);
  await fillCard(page, "4242");
  await pay(page).click();
  await expect(cardFrame(page).getByText("Your card number is incomplete.")).toBeVisible();
  expect((await provider.books()).customers).toEqual([]);

  await payWith(page, "4000 0000 0000 0101");
  await expect(page.getByRole("alert").getByText(/security code is incorrect/)).toBeVisible();
  expect(await countPayments(provider)).toEqual({ made: 0, open: 0 });

  for (const [number, sentence] of [
    ["4000 0000 0000 0002", "Your card was declined."],
    ["4000 0000 0000 9995", "Your card has insufficient funds."],
    ["4000 0000 0000 0069", "Your card has expired."],
  ] as const) {
    await payWith(page, number);
    await expect(failed(page)).toContainText(sentence);
    await otherCard(page).click();
    await expect(page.getByRole("radio")).toHaveCount(1);
  }
  expect(await countPayments(provider)).toEqual({ made: 3, open: 0 });

  await payWith(page, "4242 4242 4242 4242");
  await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
  expect(await provider.paid()).toEqual([859]);
  // The card of a purchase without the tick is removed again.
  await expect.poll(async () => (await provider.books()).cards.filter(({ customer }) => customer !== null)).toEqual([]);

  // A partial refund at Stripe: the game stays.
  const paid = (await provider.books()).intents.find(({ status }) => status === "succeeded");
  const fields = { payment_intent: paid?.id, amount: 259 };
  await provider.call("act", { operation: "POST /v1/refunds", id: "", fields });

  await page.goto("/profile/transactions");
  const part = page.getByRole("row").filter({ hasText: "Partially refunded" });
  await expect(async () => {
    await page.reload();
    await expect(part).toContainText("$2.59 refunded.", { timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  await expect(part).toContainText("$8.59");
  const back = page.getByRole("row").filter({ hasText: "For receipt" });
  await expect(back).toContainText(/[-−]\$2\.59/);
  await back.getByRole("link", { name: /^Receipt/ }).click();
  const sheet = page.getByRole("article", { name: /^Receipt/ });
  await expect(sheet.getByRole("heading", { name: "Refund" })).toBeVisible();
  await expect(sheet.locator("tfoot")).toContainText(/[-−]\$2\.59/);

  await page.goto("/profile");
  await expect(page.getByRole("article").filter({ hasText: "Active" })).toHaveCount(1);
  await page.getByRole("button", { name: "billing portal" }).click();
  await expect(page.getByRole("heading", { name: "Billing portal" })).toBeVisible();
  await expect(page.getByRole("listitem").last()).toHaveText(`${paid?.id}: 859`);
  await page.getByRole("link", { name: "Return to the site" }).click();
  await expect(page.getByRole("row").filter({ hasText: "Partially refunded" })).toBeVisible();

  // The rest is refunded as well. The declined order grants no access either.
  await provider.call("act", { operation: "POST /v1/refunds", id: "", fields: { payment_intent: paid?.id } });
  await page.goto("/profile");
  const earlier = page.getByRole("listitem").filter({ has: page.locator(".chip") });
  await expect(async () => {
    await page.reload();
    await expect(earlier.filter({ hasText: "Refunded" })).toHaveCount(1, { timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  await expect(earlier.filter({ hasText: "Inactive" })).toHaveCount(3);
  await expect(page.getByRole("article").filter({ hasText: "Active" })).toHaveCount(0);
});

test("the bank asks on its own page, then in a frame: abandoned, refused, reloaded halfway, each game is charged once (PAY-4, PAY-11a, PAY-15b, PAY-15c, PAY-15d, PAY-15e)", async ({
  page,
  provider,
  worker,
}) => {
  await register(page);
  await open(page, GAME);
  await payWith(page, "4000 0000 0000 3063");
  const question = page.getByRole("dialog", { name: BANK_TITLE });
  await question.getByRole("button", { name: "Go to my bank" }).click();
  await expect(page.getByRole("heading", { name: "Kestrel Bank" })).toBeVisible();
  await page.goBack();
  // The page doesn't redirect there again by itself.
  await question.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("button", { name: "Check now" }).click();
  await question.getByRole("button", { name: "Go to my bank" }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
  expect(new URL(page.url()).search).not.toContain("secret");
  expect(await provider.paid()).toEqual([859]);
  expect(await countPayments(provider)).toEqual({ made: 1, open: 0 });
  // The bank's parameters in the address aren't in the browser's history of the page.
  await page.goBack();
  expect(page.url()).not.toContain("secret");

  // In its frame.
  await open(page, THIRD_GAME);
  await payWith(page, "4000 0025 0000 3155");
  await bankFrame(page).getByRole("button", { name: "Fail" }).click();
  await expect(failed(page)).toContainText("unable to authenticate");
  await otherCard(page).click();
  await payWith(page, "4000 0025 0000 3155");
  await bankFrame(page).getByRole("button", { name: "Close" }).click();
  await expect(failed(page)).toBeVisible();
  await otherCard(page).click();
  expect(await countPayments(provider)).toEqual({ made: 3, open: 0 });

  await page.getByRole("checkbox", { name: "Save this card for next time" }).check();
  await payWith(page, "4000 0025 0000 3155");
  await expect(bankFrame(page).getByRole("button", { name: "Complete" })).toBeVisible();
  // As in the secret of each payment.
  const { leaks, locations } = await searchBrowserStorage(page, ["_secret_"]);
  expect(leaks).toEqual([]);
  expect(locations).toContain("page");
  expect(await takeLog(page)).not.toContain("_secret_");
  expect(worker.log()).not.toContain("_secret_");
  await page.reload();
  await bankFrame(page).getByRole("button", { name: "Complete" }).click();
  await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
  expect(await provider.paid()).toEqual([859, 859]);

  // A code on another game with the saved card, and a bank that asks again: on another page of the site.
  await open(page, OTHER_GAME);
  await expect(page.getByRole("radio", { name: /Ending in 3155/ })).toBeChecked();
  await page.getByRole("button", { name: "Add a promo code" }).click();
  await page.getByLabel("Promo code").fill("KICKOFF20");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(pay(page)).toHaveText("Pay $8.74");
  await pay(page).click();
  await expect(bankFrame(page).getByRole("button", { name: "Complete" })).toBeVisible();
  await page.goto(PASS);
  await expect(page.getByText(/^Your payment for .* is still being processed\./)).toBeVisible();
  // Behind the question.
  await expect(page.locator("main button", { hasText: /^Pay / })).toBeDisabled();
  await bankFrame(page).getByRole("button", { name: "Complete" }).click();
  await expect.poll(() => provider.paid()).toEqual([859, 859, 874]);
  await page.goto(GAME);
  await expect(page.getByText("You already bought this event.")).toBeVisible();
  await expect(pay(page)).toHaveCount(0);
});

test("an unreachable provider, offline, a changed price, a wallet, a trial and a free purchase (PAY-10c, PAY-10d, PAY-15a)", async ({
  page,
  context,
  provider,
}) => {
  await register(page);
  await page.route("**/stripe.js", (route) => route.abort());
  await page.goto(GAME);
  await expect(page.getByText("We can’t reach Stripe right now. You haven’t been charged.")).toBeVisible();
  await page.unroute("**/stripe.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await fillCard(page, "4242 4242 4242 4242");

  await provider.call("plan", { broken: 1 });
  await pay(page).click();
  await expect(page.getByText(/currently experiencing technical difficulties/).first()).toBeVisible({
    timeout: 20_000,
  });
  await provider.call("plan", {});
  expect(await countPayments(provider)).toEqual({ made: 0, open: 0 });
  await page.goto(GAME);
  const wallet = cardFrame(page).getByRole("tab", { name: "Google Pay" });
  await expect(wallet).toBeVisible();

  await context.setOffline(true);
  await expect(page.getByText(/You’re offline|You are offline/).first()).toBeVisible();
  await expect(pay(page)).toBeDisabled();
  await context.setOffline(false);
  await expect(pay(page)).toBeEnabled();

  // The displayed price is outdated: a new press, a new key.
  const keys = new Set<string | undefined>();
  await page.route("**/api/stripe/buy", async (route) => {
    const body = route.request().postDataJSON() as Record<string, unknown>;
    keys.add(route.request().headers()["idempotency-key"]);
    const is_first = keys.size === 1;
    await route.continue(is_first ? { postData: JSON.stringify({ ...body, expected_total: 1 }) } : {});
  });
  await wallet.click();
  await pay(page).click();
  const changed = page.getByRole("dialog", { name: "The terms have changed" });
  expect(await countPayments(provider)).toEqual({ made: 0, open: 0 });
  await changed.getByRole("button", { name: "Pay $8.59" }).click();
  await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
  expect(keys.size).toBe(2);
  expect(await provider.paid()).toEqual([859]);

  await page.goto("/buy?type=event&event_id=25");
  await expect(page.getByText("This event is free.")).toBeVisible();

  await page.goto("/packages");
  await page.getByRole("main").getByRole("link", { name: "Start free trial" }).click();
  await fillCard(page, "4242 4242 4242 4242");
  await expect(page.getByText("This card will be used for renewals", { exact: false })).toBeVisible();
  await page.getByRole("button", { name: "Start free trial" }).click();
  await expect(page.getByText("Your free trial has started.")).toBeVisible({ timeout: 20_000 });
  expect(await provider.paid()).toEqual([859]);
});
