import { expect, test } from "../support/journey";
import { enterCard, expectStarted, PAID_EVENT, register } from "../support/viewer";

// The one purchase that also runs on PostgreSQL and S3, and in front of another channel API.
// src/journeys/buy/prices.test.ts covers its screens.

test("a total is visible before payment, a purchase with a promo code plays, and is no longer sold (PAY-5, PAY-6, MEDIA-11, ORDER-4)", async ({
  page,
}) => {
  const main = page.getByRole("main");
  await register(page);
  await page.goto("/buy?type=event&event_id=1&single_event_package_id=1001");
  for (const text of ["$7.99", "$0.60", "$8.59", "All sales are final, with no refunds."])
    await expect(main).toContainText(text);
  await main.getByRole("button", { name: "Add a promo code" }).click();
  const code = main.getByLabel("Promo code");
  await code.fill("NOSUCHCODE");
  await main.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("Wrong promo code.")).toBeVisible();
  await code.fill("KICKOFF20");
  await main.getByRole("button", { name: "Apply" }).click();
  const pay = main.getByRole("button", { name: "Pay $6.99" });
  await expect(pay).toBeVisible();
  await page.reload();
  await expect(pay).toBeVisible();
  await enterCard(page);
  await pay.click();
  await expect(page.getByText(/^Paid\./)).toBeVisible({ timeout: 20_000 });
  await expectStarted(page);

  await page.goto("/profile/transactions");
  await expect(main.getByRole("row").filter({ hasText: "Harbor City @ Northfield" })).toContainText("$6.99");
  await page.goto(PAID_EVENT);
  await expect(main.getByRole("button", { name: "Watch live" })).toBeVisible();
  await expect(main.getByRole("link", { name: /^Buy for/ })).toHaveCount(0);
});
