// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey } from "../testing/journey";

journey(
  "a team pass is bought for the chosen team, and recorded with its value (PKG-3, ANA-4a, ANA-4b, USER-4b)",
  async (page) => {
    await page.signIn();
    await page.goto("/passes");
    await page.main.press("Choose team");
    await page.fill("Search for a team", "eagles");
    await page.main.press("Show all 24");
    await page.main.press(/^Basketball/);
    await page.fill("Search for a team", "gulls");
    await page.main.sees("1 of 24 teams");
    await page.main.choose(/Harbor City W\s*Gulls/);
    await page.main.press(/^Buy Harbor City for/);
    await page.press("Add a promo code");
    await page.fill("Promo code", "KICKOFF20");
    await page.press("Apply");
    await page.sees("20% off");
    // 49.00 less 20 %, and the fee of 3.50.
    await page.sees("Pay $42.70");
    await page.payWith(CARDS.pays);
    await page.sees(/^Paid\./);
    const sales = () =>
      [...page.channel.state.analytics.values()]
        .map(({ body }) => body as { event?: string; extras?: unknown })
        .filter(({ event }) => event === "purchase");
    await page.browser.until(() => expect(sales()).toHaveLength(1));
    expect(sales()[0]?.extras).toMatchObject({
      value: 4_900 - 980 + 350,
      tax: 350,
      discount: 980,
      currency: "USD",
      items: [{ id: 2, name: "Team pass", base_price: 4_900, event_category_id: null }],
    });
    await page.press("See my purchases");
    await page.main.sees(/Team pass/);
  },
);

journey("a purchase is paid while the status socket is blocked (PAY-3)", async (page) => {
  page.channel.sockets.reachable = false;
  await page.signIn();
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.pays);
  await page.sees("Paid. Enjoy the game.");
  expect(page.channel.requests("GET /api/orders/{id}").length).toBeGreaterThan(0);
});
