import { expect, test } from "../support/journey";
import { enterCard, expectPlaying, register } from "../support/viewer";

test("a promo code outlives a reload and a refusal, and what is paid plays (PAY-6, MEDIA-11)", async ({ page }) => {
  test.setTimeout(150_000);
  await register(page);
  await page.goto("/buy?type=event&event_id=1&single_event_package_id=1001");
  const pay = page.getByRole("button", { name: "Pay $6.99" });
  await page.getByRole("button", { name: "Add a promo code" }).click();
  await page.getByLabel("Promo code").fill("KICKOFF20");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(pay).toBeVisible();
  await page.reload();
  await expect(pay).toBeVisible();

  await enterCard(page, "4000000000000002");
  await pay.click();
  await expect(page.getByRole("dialog", { name: "The payment failed" })).toBeVisible({ timeout: 20_000 });
  await page.getByRole("button", { name: "Use another card" }).click();
  await page.reload();
  await expect(pay).toBeVisible();
  await enterCard(page);
  await pay.click();
  await expect(page.getByText(/^Paid\./)).toBeVisible({ timeout: 20_000 });
  await expectPlaying(page);

  // One that is taken off stays off.
  await page.goto("/buy?type=event&event_id=2&single_event_package_id=1002&promo_code=KICKOFF20");
  await page.getByRole("button", { name: "Remove" }).click();
  await page.reload();
  await expect(page.getByRole("button", { name: "Add a promo code" })).toBeVisible();
});
