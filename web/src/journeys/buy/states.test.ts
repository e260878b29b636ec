// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey } from "../testing/journey";

journey("the buy page says why nothing is paid (PAY-1, PAY-8, PAY-15, VAL-4, VAL-6)", async (page) => {
  await page.signIn();
  await page.goto("/buy?type=package&package_id=999");
  await page.sees("There’s nothing to buy here.");
  await page.goto("/buy");
  await page.sees("There’s nothing to buy here.");
  expect(page.main.can(/^Pay /)).toBe(false);

  await page.goto("/buy?type=package&package_id=2");
  await page.main.press(/^Pay /);
  await page.sees("Package is TeamPass but team not selected");
  expect((await page.field("Team")).getAttribute("aria-invalid")).toBe("true");

  await page.goto("/buy?type=package&package_id=1");
  await page.main.press(/^Pay /);
  await page.sees("Please select one of your saved cards or enter new one.");
  await page.enterCard(CARDS.asks);
  // Without a network nothing is bought, then or later: the page says why, and waits for a press (PAY-8).
  page.browser.setOnline(false);
  await page.main.sees("You’re offline. Try again when you’re back online.");
  expect(page.main.can(/^Pay /)).toBe(false);
  page.browser.setOnline(true);
  await page.main.lacks("You’re offline. Try again when you’re back online.");
  expect(page.channel.requests("POST /api/stripe/buy")).toEqual([]);
  await page.main.press(/^Pay /);
  await page.dialog("Confirm with your bank").appears();
  await page.pass(1_500);
  await page.goto("/buy?type=event&event_id=1&single_event_package_id=1001");
  await page.sees("Your payment for Kestrels winter pass is still being processed.");
  expect(page.main.can(/^Pay /)).toBe(false);
  await page.dialog("Confirm with your bank").press("Yes, pay");
  await page.sees("You can already watch this event.");
  await page.goto("/buy?type=package&package_id=1");
  await page.sees(/^Paid\. You’re all set\.$|^You already bought this package\.$/);
  expect(page.main.can(/^Pay /)).toBe(false);
  await page.pass(1_500);
  await page.goto("/buy?type=package&package_id=1");
  await page.sees("You already bought this package.");
  await page.main.press("See my purchases");
  await page.isAt("/profile");
});

journey("the buy page sells what the product is sold by, whatever else its address names (PAY-1)", async (page) => {
  await page.signIn();
  await page.goto("/buy?type=package&package_id=2&participant_id=9999");
  await page.main.press(/^Pay /);
  await page.sees("Package is TeamPass but team not selected");
  await page.goto("/buy?event_id=1&single_event_package_id=9999");
  await page.payWith(CARDS.pays);
  await page.dialog("Paid. Enjoy the game.").appears();
  expect(page.channel.requests("POST /api/stripe/buy").map(({ body }) => body)).toMatchObject([
    { id: 1, single_event_package_id: 1001 },
  ]);
  await page.pass(1_500);
  await page.goto("/buy?type=package&package_id=1&participant_id=9999");
  await page.payWith(CARDS.pays);
  await page.browser.until(() => expect(page.channel.requests("POST /api/stripe/buy")).toHaveLength(2));
  expect(page.channel.requests("POST /api/stripe/buy").at(-1)?.body).not.toHaveProperty("participant_id");
});

journey("an event that is sold in packages only has no price of its own (PAY-1)", async (page) => {
  await page.signIn();
  for (const event of page.channel.state.catalogue.events) delete event.single_event_package_id;
  await page.goto("/buy?event_id=1&single_event_package_id=9999");
  await page.sees("There’s nothing to buy here.");
  expect(page.main.can(/^Pay /)).toBe(false);
});
