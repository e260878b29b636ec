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

journey("a purchase is charged once, and its event can be watched (PAY-2a, PAY-3)", async (page) => {
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

/** The times between the next requests of an operation, in milliseconds. */
async function waits(page: Page, operation: string, count: number): Promise<number[]> {
  const sent = () => page.channel.requests(operation).length;
  const first = sent();
  const times: number[] = [];
  for (let next = 1; next <= count + 1; next += 1) {
    await page.browser.until(() => expect(sent()).toBeGreaterThanOrEqual(first + next));
    times.push(Date.now());
  }
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

journey(
  "an order is polled every two seconds until it is decided, and no longer after a failed request (PAY-2b, PAY-2c)",
  async (page) => {
    const { orders } = page.channel.state;
    const polls = () => page.channel.requests("GET /api/orders/{id}").length;
    const pollsWithin = async (ms: number): Promise<number> => {
      const before = polls();
      await page.pass(ms);
      return polls() - before;
    };
    page.channel.sockets.reachable = false;
    await page.signIn();
    orders.holdsPayments = true;
    await payFor(page, "/watch/1", CARDS.declines);
    for (const wait of await waits(page, "GET /api/orders/{id}", 5)) {
      expect(wait).toBeGreaterThanOrEqual(2_000);
      expect(wait).toBeLessThan(2_200);
    }
    orders.decide("failed");
    await page.dialog("Payment failed").sees("Your card was declined.");
    expect(await pollsWithin(10_000)).toBe(0);

    await page.dialog().press("Use another card");
    await page.payWith(CARDS.pays);
    await page.browser.until(() => expect(orders.all).toHaveLength(2));
    expect(await pollsWithin(10_000)).toBeGreaterThan(3);
    page.channel.fail(
      "GET /api/orders/{id}",
      { status: 400, body: { message: "No.", code: "malformed", errors: {} } },
      1,
    );
    expect(await pollsWithin(3_000)).toBe(1);
    expect(await pollsWithin(20_000)).toBe(0);
    orders.decide("paid");
    await page.press("Check now");
    await page.sees("Paid. Enjoy the game.");
    expect(await pollsWithin(10_000)).toBe(0);
  },
);

journey("a purchase without an answer is sent every 15 seconds, until it is known (PAY-9c)", async (page) => {
  await page.signIn();
  page.channel.fail("POST /api/stripe/buy", { status: 502, body: "<p>Bad gateway</p>" }, 4);
  await payFor(page, "/watch/1", CARDS.pays);
  // Each check is repeated once, a second later.
  const [, second, , third] = await waits(page, "POST /api/stripe/buy", 4);
  for (const wait of [second, third]) {
    expect(wait).toBeGreaterThanOrEqual(15_000);
    expect(wait).toBeLessThan(15_200);
  }
  await page.sees("Paid. Enjoy the game.");
  expect(page.channel.state.orders.charges).toHaveLength(1);
});

journey("the bank's question is answered, and the payment continues (PAY-4)", async (page) => {
  await page.signIn();
  await payFor(page, "/watch/1", CARDS.asks);
  await page.dialog("Confirm with your bank").press("Yes, pay");
  await page.sees("Paid. Enjoy the game.");
});

journey("a lost answer to the bank is requested again, and the order is paid once (PAY-4, PAY-9d)", async (page) => {
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
  "a declined card is neither saved nor chosen, and its dialog doesn't follow the viewer (PAY-2d, PAY-11d)",
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
  "a price that changed while its page was open is displayed and paid by another press (PAY-10a, PAY-10c, PAY-10d)",
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
    const buys = page.channel.requests("POST /api/stripe/buy");
    expect(new Set(buys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    expect(buys.map(({ body }) => body)).toMatchObject([
      { expected_total: 859, expected_service_fee: 60, currency: "USD" },
      { expected_total: 30_160, expected_service_fee: 60, currency: "USD" },
    ]);
  },
);

journey(
  "a free trial starts once, and its renewal can be cancelled and resumed (SUB-3, SUB-4a, PAY-10a, PAY-11b, CALL-6)",
  async (page) => {
    await page.signIn();
    await page.goto("/packages");
    await page.main.sees("7 days free");
    await page.main.press("Start free trial");
    await page.sees("Due today");
    await page.press("Start free trial");
    await page.sees("Please select one of your saved cards or enter new one.");
    await page.sees("This card will be used for renewals");
    await page.enterCard();
    await page.press("Start free trial");
    await page.sees("Your free trial has started.");
    expect(page.channel.requests("POST /api/stripe/subscription/start_trial").map(({ body }) => body)).toMatchObject([
      {
        expected_total: 0,
        expected_trial_days: 7,
        expected_renewal_price: 1_299,
        currency: "USD",
      },
    ]);
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
  journey(`an event blocked in Canada shows ${who} neither a price nor a buy button (GEO-1e)`, async (page) => {
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
