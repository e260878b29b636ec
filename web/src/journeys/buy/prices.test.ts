// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

/** From an event's page to the end of its payment. */
async function buy(page: Page, event: string): Promise<void> {
  await page.goto(event);
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.pays);
  await page.sees(/^Paid\./);
}

journey(
  "a sum is displayed before it is paid, a wrong code changes nothing, and what one has is sold no more (PAY-5, PAY-6, ORDER-3, ORDER-4, CALL-6, ERR-8)",
  async (page) => {
    await page.signIn();
    await page.goto("/buy?event_id=1");
    for (const text of ["$7.99", "$0.60", "$8.59", "All sales are final, with no refunds."]) await page.main.sees(text);
    await page.press("Add a promo code");
    await page.fill("Promo code", "NOSUCHCODE");
    await page.press("Apply");
    await page.sees("Wrong promo code.");
    await page.main.sees("$8.59");
    await page.press(/^Pay /);
    await page.isAt(/^\/buy/);
    await buy(page, "/watch/1");
    await page.goto("/profile");
    await page.within("main article", "Harbor City @ Northfield").sees("Active");
    await page.goto("/profile/transactions");
    await page.within("main tr", "Harbor City @ Northfield").sees("$8.59");
    // The event's page sells it no more.
    await page.goto("/watch/1");
    await page.main.sees("Watch live");
    expect(page.main.can(/^Buy for/)).toBe(false);
  },
);

journey(
  "a pass that is owned is sold no more, and opens what it covers (EVENT-6, EVENT-8, PKG-2, USER-4)",
  async (page) => {
    await page.signIn();
    await page.goto("/packages");
    await page.within("article", "Kestrels winter pass").press(/^Choose/);
    await page.main.press(/^Buy for/);
    await page.payWith(CARDS.pays);
    await page.sees(/^Paid\./);
    // Basketball is the pass's, and the women's is a category below it (EVENT-6).
    await page.goto("/watch/1");
    await page.main.sees("Watch live");
    await buy(page, "/watch/15");
    await page.goto("/profile");
    await page.press("See its events");
    await page.browser.until(() => expect(page.all("main li").some((one) => one.querySelector("time"))).toBe(true));
    const listed = page.all("main li").filter((one) => one.querySelector("time"));
    expect(listed.filter(({ textContent }) => !/basketball|hockey/i.test(textContent ?? ""))).toEqual([]);
    // Sold singly: no pass opens it, and no subscription; what is of another sport a subscription does.
    for (const path of ["/watch/2", "/watch/36"]) {
      await page.goto(path);
      await page.main.sees(/^Buy for/);
    }
    await page.goto("/packages");
    await page.main.press("Start the free trial");
    await page.enterCard();
    await page.press("Start the free trial");
    await page.sees("Your free trial has started.");
    await page.goto("/watch/36");
    await page.main.sees(/^Watch$/);
    await page.goto("/watch/2");
    await page.main.sees(/^Buy for/);
  },
);

journey("a promo code outlives a reload and a refusal, and one that is removed stays so (PAY-6)", async (page) => {
  await page.signIn();
  await page.goto("/buy?type=event&event_id=1&single_event_package_id=1001");
  await page.press("Add a promo code");
  await page.fill("Promo code", "KICKOFF20");
  await page.press("Apply");
  await page.sees("Pay $6.99");
  await page.reload();
  await page.sees("Pay $6.99");
  await page.payWith(CARDS.declines);
  await page.dialog("The payment failed").press("Use another card");
  await page.pass(1_500);
  await page.reload();
  await page.sees("Pay $6.99");
  await page.payWith(CARDS.pays);
  await page.sees(/^Paid\./);
  await page.goto("/buy?type=event&event_id=2&single_event_package_id=1002&promo_code=KICKOFF20");
  await page.press("Remove");
  await page.sees("Add a promo code");
  await page.pass(1_500);
  await page.reload();
  await page.sees("Add a promo code");
});

journey(
  "a team pass is bought for the team that was chosen, and recorded with what it was worth (PKG-3, ANA-4, USER-4)",
  async (page) => {
    await page.signIn();
    await page.goto("/passes");
    await page.main.press("Choose the team");
    await page.fill("Search a team", "eagles");
    await page.main.press("Show all 24");
    await page.main.press(/^Basketball/);
    await page.fill("Search a team", "gulls");
    await page.main.sees("1 of 24 teams");
    await page.main.choose(/Harbor City\s*Gulls/);
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
    await page.press("See my orders");
    await page.main.sees(/Team pass/);
  },
);

journey("a purchase is paid while the status socket is blocked (PAY-3)", async (page) => {
  page.channel.sockets.reachable = false;
  await page.signIn();
  await buy(page, "/watch/1");
  expect(page.channel.requests("GET /api/orders/{id}").length).toBeGreaterThan(0);
});
