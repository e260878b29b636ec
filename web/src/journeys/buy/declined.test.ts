// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

/** Pays for the first event with a card that is declined, and leaves the page before the answer. */
async function payDeclinedAndLeave(page: Page): Promise<void> {
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  page.channel.state.orders.holdsPayments = true;
  await page.payWith(CARDS.declines);
  await page.press("Continue in background");
  await page.isAt("/watch/1");
  await page.browser.until(() => expect(page.channel.state.orders.all).toHaveLength(1));
  page.channel.state.orders.decide("failed");
}

journey(
  "a declined card isn't reported as confirmed, and its line shows the refusal (PAY-2a, PAY-2e, ORDER-5)",
  async (page) => {
    await page.signIn();
    await page.goto("/watch/1");
    await page.main.press(/^Buy for/);
    await page.payWith(CARDS.declines);
    const dialog = page.dialog("Payment failed");
    await dialog.sees("Your card was declined.");
    await dialog.sees("Card not confirmed");
    expect(dialog.has("Card confirmed")).toBe(false);
    await dialog.press("Close");
    await page.goto("/profile/transactions");
    await page.main.sees("Your card was declined. You weren’t charged.");
    await page.main.sees("Card not charged");
    expect(page.main.has("No card")).toBe(false);
  },
);

/** The names of the ticked steps. */
const ticked = (page: Page): (string | null)[] =>
  page
    .all(".paying__step")
    .filter((step) => step.querySelector(".paying__mark--done, .paying__mark--succeeded"))
    .map((step) => step.querySelector(".paying__name")?.textContent ?? null);

journey("a card's tick appears only once the card is confirmed (PAY-2)", async (page) => {
  await page.signIn();
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  page.channel.state.orders.holdsPayments = true;
  await page.payWith(CARDS.declines);
  await page.browser.until(() => expect(ticked(page)).toEqual(["Order created"]));
  await page.dialog().sees("Confirming your card");
  // The same while it can't be checked.
  page.browser.setOnline(false);
  const interrupted = page.dialog("Connection lost");
  await interrupted.sees(/payment is still being processed/);
  expect(ticked(page)).toEqual(["Order created"]);
  page.browser.setOnline(true);
  await page.dialog(/^Paying/).appears();
  await page.pass(1_000);
  expect(ticked(page)).toEqual(["Order created"]);
  page.channel.state.orders.decide("failed");
  await page.dialog("Payment failed").sees("Card not confirmed");
  expect(ticked(page)).toEqual(["Order created"]);
});

journey("a card that its bank confirmed is ticked while the payment is processed (PAY-2)", async (page) => {
  await page.signIn();
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  page.channel.state.orders.holdsPayments = true;
  await page.payWith(CARDS.asks);
  await page.dialog("Confirm with your bank").press("Yes, pay");
  await page.browser.until(() => expect(ticked(page)).toEqual(["Order created", "Card confirmed"]));
  page.channel.state.orders.decide("paid");
  await page.sees("Paid. Enjoy the game.");
});

journey("a failure is displayed on one page, and afterwards among the orders (PAY-2d, PAY-2e)", async (page) => {
  await page.signIn();
  await payDeclinedAndLeave(page);
  await page.dialog("Payment failed").sees("Your card was declined.");
  // Leaves the page that displayed it without pressing a button.
  await page.pass(1_500);
  for (const path of ["/", "/packages", "/buy?event_id=1"]) {
    await page.goto(path);
    await page.main.appears();
    await page.pass(1_500);
    expect(page.dialog().isThere(), path).toBe(false);
  }
  await page.goto("/profile");
  await page.main.sees("Your card was declined. You weren’t charged.");
  expect(page.dialog().isThere()).toBe(false);
});

journey("an interrupted purchase is displayed on one page (PAY-12)", async (page) => {
  await page.signIn();
  page.channel.fail("POST /api/stripe/setup-intent", "silent", 1);
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.pays);
  await page.browser.until(() => expect(page.channel.requests("POST /api/stripe/setup-intent")).toHaveLength(1));
  await page.pass(1_500);
  await page.goto("/");
  await page.dialog("You haven’t been charged.").appears();
  await page.pass(1_500);
  await page.goto("/packages");
  await page.main.appears();
  await page.pass(1_500);
  expect(page.dialog().isThere()).toBe(false);
});
