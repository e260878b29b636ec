import { expect, test } from "../support/journey";
import { enterCard, PAID_EVENT, pressPay, register } from "../support/viewer";

test("a sum is shown before it is paid, a wrong code changes nothing, and what one has is sold no more (PAY-5, PAY-6, ORDER-3, ORDER-4, CALL-6, ERR-8)", async ({
  page,
}) => {
  await register(page);
  await page.goto("/buy?event_id=1");
  const main = page.getByRole("main");
  await expect(main).toContainText("$7.99");
  await expect(main).toContainText("$0.60");
  await expect(main).toContainText("$8.59");
  await expect(main).toContainText("All sales are final, with no refunds.");
  await main.getByRole("button", { name: "Add a promo code" }).click();
  await main.getByRole("textbox", { name: /promo/i }).fill("NOSUCHCODE");
  await main.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("Wrong promo code.")).toBeVisible();
  await expect(main).toContainText("$8.59");
  await main.getByRole("button", { name: /^Pay / }).click();
  await expect(page).toHaveURL(/\/buy/);

  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
  await page.goto("/profile");
  await expect(main.getByRole("article").filter({ hasText: "Harbor City @ Northfield" })).toContainText("Active");
  await page.goto("/profile/transactions");
  await expect(main.getByRole("row").filter({ hasText: "Harbor City @ Northfield" })).toContainText("$8.59");
  // The event's page sells it no more.
  await page.goto(PAID_EVENT);
  await expect(main.getByRole("button", { name: "Watch live" })).toBeVisible();
  await expect(main.getByRole("link", { name: /^Buy for/ })).toHaveCount(0);
});

test("a pass that is owned is sold no more, and opens what it covers (EVENT-6, EVENT-8, PKG-2, USER-4)", async ({
  page,
}) => {
  await register(page);
  await page.goto("/packages");
  await page
    .getByRole("article")
    .filter({ hasText: "Kestrels winter pass" })
    .getByRole("link", { name: /^Choose/ })
    .click();
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Buy for/ })
    .first()
    .click();
  await enterCard(page);
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByText(/^Paid\./)).toBeVisible({ timeout: 20_000 });
  // Basketball is the pass's, and the women's is a category below it (EVENT-6).
  await page.goto("/watch/1");
  await expect(page.getByRole("main").getByRole("button", { name: "Watch live" })).toBeVisible();
  // Its events are those of its two sports, whatever else was bought.
  await pressPay(page, "/watch/15");
  await expect(page.getByText(/^Paid\./)).toBeVisible({ timeout: 20_000 });
  await page.goto("/profile");
  await page.getByRole("link", { name: "See its events" }).click();
  const listed = page.locator("main li:has(time)");
  await expect(listed.filter({ hasText: /basketball|hockey/i }).first()).toBeVisible();
  await expect(listed.filter({ hasNotText: /basketball|hockey/i })).toHaveCount(0);
  // Sold singly: no pass opens it, and no subscription; what is of another sport a subscription does.
  const main = page.getByRole("main");
  const sold = main.getByRole("link", { name: /^Buy for/ }).first();
  const expectSold = async (path: string) => {
    await page.goto(path);
    await expect(sold, path).toBeVisible();
  };
  await expectSold("/watch/2");
  await expectSold("/watch/36");
  await page.goto("/packages");
  await main.getByRole("link", { name: "Start the free trial" }).click();
  await enterCard(page);
  await page.getByRole("button", { name: "Start the free trial" }).click();
  await expect(page.getByText("Your free trial has started.")).toBeVisible({ timeout: 20_000 });
  await page.goto("/watch/36");
  await expect(main.getByRole("button", { name: "Watch", exact: true })).toBeVisible();
  await expectSold("/watch/2");
});
