// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

/** From an event's page to pressing the pay button. */
async function payFor(page: Page, event: string, card: string): Promise<void> {
  await page.goto(event);
  await page.main.press(/^Buy for/);
  await page.enterCard(card);
  await page.press(/^Pay /);
}

journey("a purchase is charged once, and its event can be watched (PAY-2, PAY-3)", async (page) => {
  await page.signIn();
  await payFor(page, "/watch/1", CARDS.pays);
  await page.sees("Paid. Enjoy the game.");
  expect(page.channel.state.orders.charges).toMatchObject([{ amount: 859, status: "succeeded" }]);
});

journey(
  "a purchase whose answer is lost is sent again under its key, and charged once (PAY-5, PAY-6)",
  async (page) => {
    await page.signIn();
    page.channel.fail("POST /api/stripe/buy", "lost", 1);
    await payFor(page, "/watch/1", CARDS.pays);
    await page.sees("Paid. Enjoy the game.");
    const keys = page.channel.requests("POST /api/stripe/buy").map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(page.channel.state.orders.charges).toHaveLength(1);
  },
);

journey("the bank's question is answered, and the payment continues (PAY-4)", async (page) => {
  await page.signIn();
  await payFor(page, "/watch/1", CARDS.asks);
  await page.dialog("Confirm with your bank").press("Yes, pay");
  await page.sees("Paid. Enjoy the game.");
});

journey("a lost answer to the bank is requested again, and the order is paid once (PAY-4, PAY-9)", async (page) => {
  await page.signIn();
  await payFor(page, "/watch/1", CARDS.asks);
  const question = page.dialog("Confirm with your bank");
  await question.appears();
  page.browser.setOnline(false);
  await question.press("Yes, pay");
  await page.dialog("Connection lost").appears();
  page.browser.setOnline(true);
  await question.press("Yes, pay");
  await page.sees("Paid. Enjoy the game.");
  expect(page.channel.state.orders.charges).toMatchObject([{ amount: 859, status: "succeeded" }]);
});

journey("a refusal at the bank buys nothing (PAY-4)", async (page) => {
  await page.signIn();
  await payFor(page, "/watch/1", CARDS.asks);
  await page.press("No, cancel the payment");
  await page.sees("Payment failed");
  await page.goto("/profile");
  await page.sees("No active orders");
  expect(page.channel.state.orders.charges.filter(({ status }) => status === "succeeded")).toEqual([]);
});

journey(
  "a declined card is neither saved nor chosen, and its dialog doesn't follow the viewer (PAY-2, PAY-11)",
  async (page) => {
    await page.signIn();
    await payFor(page, "/watch/1", CARDS.declines);
    await page.dialog("Payment failed").appears();
    page.browser.back();
    await page.isAt("/watch/1");
    await page.dialog().goes();
    await page.main.press(/^Buy for/);
    const newCard = await page.field(/^New card/);
    await page.browser.until(() => expect(newCard.checked).toBe(true));
    expect(page.all('input[type="radio"][name]').length).toBe(1);
  },
);

journey(
  "a price that changed while its page was open is displayed and paid by another press (PAY-10)",
  async (page) => {
    await page.signIn();
    await page.goto("/watch/1");
    await page.main.press("Buy for $8.59");
    await page.enterCard();
    const [event] = page.channel.state.catalogue.events;
    if (event) event.base_price = 30_100;
    await page.press("Pay $8.59");
    const dialog = page.dialog("The price is now $301.60");
    await dialog.sees("You haven’t been charged.");
    await dialog.within("s").sees("$8.59");
    expect(page.channel.state.orders.charges).toEqual([]);
    await dialog.press("Pay $301.60");
    await page.sees("Paid. Enjoy the game.");
    expect(page.channel.state.orders.charges).toMatchObject([{ amount: 30_160, status: "succeeded" }]);
    expect(
      new Set(page.channel.requests("POST /api/stripe/buy").map(({ idempotencyKey }) => idempotencyKey)).size,
    ).toBe(2);
  },
);

journey(
  "a free trial starts once, and its renewal can be cancelled and resumed (SUB-3, SUB-4, CALL-6)",
  async (page) => {
    await page.signIn();
    await page.goto("/packages");
    await page.main.sees("7 days free");
    await page.main.press("Start free trial");
    await page.sees("Due today");
    await page.enterCard();
    await page.press("Start free trial");
    await page.sees("Your free trial has started.");
    await page.press("See my purchases");
    await page.main.sees(/^Free until .* then \$12\.99 to Visa ending in 4242/);
    await page.main.press("Cancel subscription");
    await page.dialog().press("Cancel subscription");
    await page.main.sees(/^Auto-renew is off\. You can watch until /);
    await page.reload();
    await page.main.sees(/^Ends /);
    await page.main.press("Keep subscription");
    await page.main.sees("Cancel subscription");
    await page.goto("/packages");
    await page.main.sees("Subscriptions");
    expect(page.main.can("Start free trial")).toBe(false);
  },
);

for (const who of ["a visitor", "a viewer"])
  journey(`an event blocked in Canada shows ${who} neither a price nor a buy button (GEO-1)`, async (page) => {
    page.channel.state.geo = { country: "Canada", country_code: "CA", ip: "192.0.2.2", is_geo_blocked: false };
    if (who === "a viewer") await page.signIn();
    for (const path of ["/watch/44", "/watch_embed/44", "/buy?type=event&event_id=44&single_event_package_id=1044"]) {
      await page.goto(path);
      await page.sees("Content not available in the region.");
      const texts = page.all("main :not([data-card], [data-card] *, :has([data-card]))").map((one) => one.textContent);
      expect(texts.filter((text) => /\$|^Buy|LOGIN TO WATCH/.test(text ?? ""))).toEqual([]);
      expect(page.can(/^Pay/)).toBe(false);
    }
    await page.sees(/You appear to be in Canada/);
  });

journey(
  "a purchase whose page was reloaded before the card was entered says that nothing was paid (PAY-12)",
  async (page) => {
    await page.signIn();
    page.channel.fail("POST /api/stripe/setup-intent", "silent", 1);
    await payFor(page, "/watch/1", CARDS.pays);
    await page.browser.until(() => expect(page.channel.requests("POST /api/stripe/setup-intent")).toHaveLength(1));
    // Until the log is stored.
    await page.pass(1_500);
    await page.goto("/");
    const dialog = page.dialog("You haven’t been charged.");
    await dialog.sees("The purchase was interrupted before you entered a card.");
    await dialog.press("Try again");
    await page.isAt(/^\/buy/);
    await page.dialog().goes();
    await page.browser.until(() => expect(page.can(/^Pay /)).toBe(true));
    expect(page.channel.state.orders.all).toEqual([]);
  },
);
