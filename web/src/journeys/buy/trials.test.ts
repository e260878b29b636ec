// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

/** The id of a subscription with a trial, for an address. */
function subscriptionOf(page: Page): number {
  const found = page.channel.state.catalogue.subscriptions.find(({ trial_period }) => trial_period > 0);
  if (!found) throw new Error("no subscription has a trial");
  return found.id;
}

journey("a subscription's address offers the unused trial (PAY-1, SUB-4b)", async (page) => {
  await page.signIn();
  const id = subscriptionOf(page);
  await page.goto(`/buy?subscription_id=${id}`);
  await page.main.sees("Due today");
  await page.enterCard();
  await page.press("Start free trial");
  await page.sees("Your free trial has started.");
  expect(page.channel.state.orders.charges).toMatchObject([{ kind: "trial", amount: 0 }]);
});

journey("an address of the subscription itself sells the subscription (SUB-4b)", async (page) => {
  await page.signIn();
  await page.goto(`/buy?type=subscription&subscription_id=${subscriptionOf(page)}`);
  await page.main.sees("Pay $12.99");
  expect(page.main.has("Due today")).toBe(false);
});

journey("a subscription's address sells the subscription to a viewer who used the trial (SUB-4b)", async (page) => {
  await page.signIn({ trial_period_used: true });
  await page.goto(`/buy?subscription_id=${subscriptionOf(page)}`);
  await page.main.sees("Pay $12.99");
  await page.settles();
  expect(page.main.has("Pay $12.99")).toBe(true);
});

journey("a trial that was used elsewhere is refused, and its page leads to the subscription (SUB-4d)", async (page) => {
  const person = await page.signIn();
  await page.goto(`/buy?subscription_id=${subscriptionOf(page)}`);
  await page.main.sees("Due today");
  person.trial_period_used = true;
  await page.enterCard();
  await page.press("Start free trial");
  const refusal = "You have already used your free trial.";
  await page.main.sees(refusal);
  await page.press("Subscribe without a trial");
  await page.main.lacks(refusal);
  expect(document.activeElement?.textContent).toBe("Subscribe");
  await page.press("Pay $12.99");
  await page.sees("Paid");
  expect(page.channel.state.orders.charges).toMatchObject([{ amount: 1299 }]);
});
