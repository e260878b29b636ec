// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

const GAME = "/buy?type=event&event_id=1&single_event_package_id=1001";

/** The event's page sells it. */
async function sells(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.main.sees(/^Buy for/);
}

/** The event's page plays it. */
async function plays(page: Page, path: string, button: string): Promise<void> {
  await page.goto(path);
  await page.browser.until(() => expect(page.main.can(button), path).toBe(true));
  expect(page.main.can(/^Buy for/)).toBe(false);
}

journey(
  "a total is displayed before payment, a wrong code changes nothing, and a purchase isn't sold again (PAY-5, PAY-6, ORDER-3, ORDER-4, CALL-6, ERR-8)",
  async (page) => {
    await page.signIn();
    await page.goto("/buy?event_id=1");
    for (const text of ["$7.99", "$0.60", "$8.59", "All sales are final, with no refunds."]) await page.main.sees(text);
    await page.main.press("Add a promo code");
    await page.main.fill(/promo/i, "NOSUCHCODE");
    await page.main.press("Apply");
    await page.sees("Wrong promo code.");
    await page.main.sees("$8.59");
    await page.main.press(/^Pay /);
    await page.isAt(/^\/buy/);
    expect(page.channel.requests("POST /api/stripe/buy")).toEqual([]);

    await page.goto("/watch/1");
    await page.main.press(/^Buy for/);
    await page.payWith(CARDS.pays);
    await page.sees("Paid. Enjoy the game.");
    await page.goto("/profile");
    await page.main.within("article", "Harbor City @ Northfield").sees("Active");
    await page.goto("/profile/transactions");
    await page.main.within("tr", "Harbor City @ Northfield").sees("$8.59");
    await plays(page, "/watch/1", "Watch live");
  },
);

journey("an owned pass isn't sold again, and opens its events (EVENT-6, EVENT-8c, PKG-2, USER-4b)", async (page) => {
  await page.signIn();
  await page.goto("/packages");
  await page.within("article", "Kestrels winter pass").press(/^Choose/);
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.pays);
  await page.sees(/^Paid\./);
  // The pass covers basketball, and women's basketball is a subcategory (EVENT-6).
  await plays(page, "/watch/1", "Watch live");
  // It covers the events of its two sports, whatever else was bought.
  await page.goto("/watch/15");
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.pays);
  await page.sees(/^Paid\./);
  await page.goto("/profile");
  await page.main.press("See events");
  const listed = () => page.all("main li:has(time)").map(({ textContent }) => textContent ?? "");
  await page.browser.until(() => expect(listed()).not.toEqual([]));
  expect(listed().filter((text) => !/basketball|hockey/i.test(text))).toEqual([]);
  // An event sold individually, and one of another sport.
  await sells(page, "/watch/2");
  await sells(page, "/watch/36");
  // The pass itself.
  await page.goto("/packages");
  await page.within("article", "Kestrels winter pass").sees("Kestrels winter pass");
  expect(page.within("article", "Kestrels winter pass").can(/^Choose/)).toBe(false);
});

journey(
  "a subscription opens every paid event except those sold only individually (EVENT-8c, USER-4b)",
  async (page) => {
    await page.signIn();
    await page.goto("/packages");
    await page.main.press("Start free trial");
    await page.enterCard();
    await page.press("Start free trial");
    await page.sees("Your free trial has started.");
    await plays(page, "/watch/36", "Watch");
    await sells(page, "/watch/2");
  },
);

journey("a promo code survives a reload and a refusal, and is removed for good (PAY-6b)", async (page) => {
  await page.signIn();
  await page.goto(GAME);
  await page.press("Add a promo code");
  await page.fill("Promo code", "KICKOFF20");
  await page.press("Apply");
  await page.main.sees("Pay $6.99");
  await page.reload();
  await page.main.sees("Pay $6.99");
  await page.payWith(CARDS.declines);
  await page.dialog("Payment failed").press("Use another card");
  await page.reload();
  await page.main.sees("Pay $6.99");
  await page.payWith(CARDS.pays);
  await page.sees(/^Paid\./);
  expect(page.channel.state.orders.charges.map(({ amount, status }) => [amount, status])).toEqual([
    [699, "failed"],
    [699, "succeeded"],
  ]);

  await page.goto("/buy?type=event&event_id=2&single_event_package_id=1002&promo_code=KICKOFF20");
  await page.press("Remove");
  await page.reload();
  await page.main.sees("Add a promo code");
  expect(page.browser.address).not.toContain("promo_code");
});

journey("a price has the decimals that the worker and Stripe give its currency (PAY-17a)", async (page) => {
  for (const [currency, price] of [
    ["KWD", "KWD 0.859"],
    ["ISK", "kr 8.59"],
    ["MGA", "Ar 859"],
  ] as const) {
    for (const event of page.channel.state.catalogue.events) event.currency = currency;
    await page.goto("/watch/1");
    await page.main.sees(`Total${price}`);
  }
});
