// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

async function startTrial(page: Page, card: string = CARDS.pays): Promise<void> {
  await page.signIn();
  await page.goto("/packages");
  await page.main.press("Start free trial");
  await page.enterCard(card);
  await page.press("Start free trial");
  await page.sees("Your free trial has started.");
}

journey("a purchase is listed with its receipt (ORDER-5b, ERR-9)", async (page) => {
  await page.signIn();
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  const { address } = page.browser;
  await page.payWith(CARDS.pays);
  await page.sees("Paid. Enjoy the game.");
  // Leaving by a press counts as seeing the result: the same address sells nothing, and shows no form.
  await page.dialog().press("Watch");
  await page.isAt(/^\/watch\//);
  await page.pass(1_500);
  await page.goto(address);
  await page.sees("You already bought this event.");
  await page.lacks("Paid. Enjoy the game.");
  await page.goto("/profile/transactions");
  await page.sees(/^Transactions\s*1$/);
  const line = page.within("tbody tr");
  await line.sees("Visa ending in 4242");
  await line.sees("Paid");
  await line.press(/^Receipt \d{4}-\d{6}$/);
  const receipt = page.within("article", /^Receipt/);
  for (const text of ["Northfield Sports Network LLC", "400 Kestrel Way", "Service fee", "Visa ending in 4242"])
    await receipt.sees(text);
});

journey(
  "a renewal is cancelled with three presses from any page, and resumed with one more (SUB-3, SUB-6e, SUB-8a)",
  async (page) => {
    await startTrial(page);
    await page.goto("/");
    await page.press(/^Your account/);
    await page.main.press("Cancel subscription");
    await page.dialog().press("Cancel subscription");
    await page.main.sees(/^Auto-renew is off\. You can watch until /);
    await page.pass(1_500);
    await page.reload();
    await page.main.sees(/^Auto-renew is off/);
    await page.main.press("Keep subscription");
    await page.main.sees("Cancel subscription");
    await page.pass(1_500);
    await page.reload();
    await page.main.sees(/^Free until .* then \$12\.99 to Visa ending in 4242\./);
  },
);

journey("a cancellation pressed offline is sent once online, and counts from its press (SUB-8b)", async (page) => {
  await startTrial(page);
  await page.press("See my purchases");
  await page.main.sees("Cancel subscription");
  page.browser.setOnline(false);
  await page.main.press("Cancel subscription");
  await page.dialog().press("Cancel subscription");
  await page.main.sees(/^You’re offline\. We’ll send your cancellation/);
  await page.pass(5_000);
  page.browser.setOnline(true);
  await page.main.sees(/^Auto-renew is off/);
  const [sent] = page.channel.requests("POST /api/stripe/unsubscribe").slice(-1);
  expect(sent?.body.pressed_ago_s).toBeGreaterThanOrEqual(5);
});

journey("a renewal uses another card, and the page says which (SUB-6)", async (page) => {
  await startTrial(page);
  await page.goto("/profile");
  await page.main.press("Use another card");
  const dialog = page.dialog();
  await dialog.choose(/^New card/);
  await page.enterCard(CARDS.asks, dialog);
  await dialog.press("Use this card");
  await page.main.sees(/to Visa ending in 3155/);
});

/** A trial that has ended, and whose first charge the bank questions; returns its order's id. */
async function unconfirmedRenewal(page: Page): Promise<number> {
  await startTrial(page, CARDS.asks);
  const { orders } = page.channel.state;
  orders.renew();
  return orders.all[0]?.order.id ?? 0;
}

journey(
  "a renewal that needs the bank's confirmation is confirmed on any page, and paid once (SUB-9b, SUB-9c, SUB-9d)",
  async (page) => {
    await unconfirmedRenewal(page);
    await page.goto("/faq");
    await page.sees("Confirm your renewal");
    await page.press("Confirm and pay $12.99");
    await page.dialog().press("No, cancel the payment");
    await page.sees(/^Monthly subscription couldn’t be renewed\./);
    page.channel.state.orders.renew();
    await page.press("Confirm and pay $12.99");
    await page.dialog().press("Yes, pay");
    await page.lacks("Confirm your renewal");
    await page.lacks(/^Monthly subscription couldn’t be renewed\./);
    const renewals = page.channel.state.orders.charges.filter(({ kind }) => kind === "renewal");
    expect(renewals.map(({ status, amount }) => ({ status, amount }))).toEqual([
      { status: "failed", amount: 1_299 },
      { status: "succeeded", amount: 1_299 },
    ]);
  },
);

journey(
  "the mailed link confirms a renewal, and the result is polled without a status stream (SUB-9b, SUB-9c)",
  async (page) => {
    const id = await unconfirmedRenewal(page);
    page.channel.sockets.reachable = false;
    page.channel.sockets.drop();
    await page.goto(`/profile?renewal=${id}`);
    await page.main.sees("Confirm your renewal");
    await page.main.sees("Confirmation needed");
    await page.main.press("Confirm and pay $12.99");
    await page.dialog().press("Yes, pay");
    await page.main.sees("Monthly subscription has been renewed.");
    await page.main.sees(/^Next charge .*: \$12\.99/);
  },
);

journey("the mailed link reports an abandoned renewal, and offers to subscribe again (SUB-9e)", async (page) => {
  const id = await unconfirmedRenewal(page);
  page.channel.state.orders.giveUpRenewals();
  await page.goto(`/profile?renewal=${id}`);
  await page.main.sees(/^Monthly subscription has ended\. The renewal wasn’t confirmed in time/);
  await page.main.press("Subscribe again");
  await page.isAt(/^\/buy\?type=subscription&subscription_id=\d+$/);
  await page.sees("Pay $12.99");
});

journey("a card whose last payment was declined is offered, and not preselected (PAY-11d, PAY-16b)", async (page) => {
  const card = (last4: string) => ({ id: `pm_${last4}`, brand: "visa", last4, exp_month: 12, exp_year: 2_030 });
  await page.signIn({
    cards: [
      { ...card("0341"), is_default: true, declined: true },
      { ...card("0002"), declined: true },
      card("4242"),
      card("3155"),
    ],
  });
  await page.goto("/buy?type=event&event_id=1&single_event_package_id=1001");
  const works = await page.field(/Ending in 4242/);
  await page.browser.until(() => expect(works.checked).toBe(true));
  expect(page.all('input[type="radio"][name="card"]')).toHaveLength(5);
});

journey(
  "a card that renews a subscription is named with it, and cannot be removed (PAY-16a, PAY-16c)",
  async (page) => {
    await startTrial(page);
    await page.goto("/profile");
    const cards = page.within('section, [role="region"]', /^Cards/);
    await cards.within("li", "Visa ending in 4242").sees(/^Next charge November 28, 2026$/);
    await cards.press("Remove Visa ending in 4242");
    const dialog = page.dialog();
    await dialog.appears();
    expect(dialog.can("Remove")).toBe(false);
    await dialog.press("Not now");
    expect(page.channel.requests("POST /api/stripe/remove-card")).toEqual([]);
  },
);

journey("cards are added, one becomes the default, and one is removed (PAY-16a, PAY-16b)", async (page) => {
  await page.signIn();
  await page.goto("/profile");
  const cards = page.within('section, [role="region"]', /^Cards/);
  await cards.sees("No saved cards.");
  for (const [number, count] of [
    [CARDS.pays, 1],
    [CARDS.asks, 2],
  ] as const) {
    await cards.press("Add a card");
    await page.enterCard(number);
    await page.press("Save card");
    await page.browser.until(() => expect(cards.all("li")).toHaveLength(count));
  }
  await cards.press("Make Visa ending in 3155 the default");
  await cards.within("li", "Visa ending in 3155").sees(/^Default$/);
  await page.pass(1_500);
  await page.reload();
  await cards.within("li", "Visa ending in 3155").sees(/^Default$/);
  await page.goto("/buy?type=event&event_id=1&single_event_package_id=1001");
  const other = await page.field(/Ending in 3155/);
  await page.browser.until(() => expect(other.checked).toBe(true));
  await page.goto("/profile");
  await cards.press("Remove Visa ending in 4242");
  await page.dialog().press("Remove");
  await page.browser.until(() => expect(cards.all("li")).toHaveLength(1));
});
