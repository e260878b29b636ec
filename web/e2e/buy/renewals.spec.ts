import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { enterCard, pressPay, register } from "../support/viewer";

async function startTrial(page: Page): Promise<void> {
  await register(page);
  await page.goto("/packages");
  await page.getByRole("main").getByRole("link", { name: "Start the free trial" }).click();
  await enterCard(page);
  await page.getByRole("button", { name: "Start the free trial" }).click();
  await expect(page.getByText("Your free trial has started.")).toBeVisible({ timeout: 20_000 });
}

test("a purchase is a line with a receipt to open and print (ORDER-5, ERR-9)", async ({ page }) => {
  await register(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
  const address = page.url();
  // Left by a press the result is seen: the same address sells nothing, and shows no form.
  await page.getByRole("dialog").getByRole("link", { name: "Watch" }).click();
  await expect(page).toHaveURL(/\/watch\//);
  // The page that was left stands until the next one can be shown (NAV-9).
  await expect(page.getByText("Paid. Enjoy the game.")).toHaveCount(0);
  await page.goto(address);
  await expect(page.getByText("You already bought this event.")).toBeVisible();
  await expect(page.getByText("Paid. Enjoy the game.")).toHaveCount(0);
  await page.goto("/profile/transactions");
  await expect(page.getByRole("link", { name: /^Transactions\s*1$/ })).toBeVisible();
  const line = page.getByRole("row").nth(1);
  await expect(line).toContainText("Visa ending 4242");
  await expect(line).toContainText("Paid");
  await line.getByRole("link", { name: /^Receipt \d{4}-\d{6}$/ }).click();
  const receipt = page.getByRole("article", { name: /^Receipt / });
  await expect(receipt).toContainText("Northfield Sports Network LLC");
  await expect(receipt).toContainText("400 Kestrel Way");
  await expect(receipt).toContainText("Service fee");
  await expect(receipt).toContainText("Visa ending 4242");
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("button", { name: "Print" })).toBeHidden();
  await expect(receipt).toBeVisible();
});

test("a renewal is cancelled with three presses from any page, and kept with one more (SUB-3)", async ({ page }) => {
  await startTrial(page);
  await page.goto("/");
  await page.getByRole("link", { name: /^Your account/ }).click();
  const main = page.getByRole("main");
  await main.getByRole("button", { name: "Cancel subscription" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel subscription" }).click();
  await expect(main.getByText(/^It renews no more\. You can watch until /)).toBeVisible();
  await page.reload();
  await expect(main.getByText(/^It renews no more/)).toBeVisible();
  await main.getByRole("button", { name: "Undo: keep it" }).click();
  await expect(main.getByRole("button", { name: "Cancel subscription" })).toBeVisible();
  await page.reload();
  await expect(main.getByText(/^Free until .* First charge \$12\.99 then to Visa ending 4242\./)).toBeVisible();
});

test("a cancellation that is pressed offline is sent when the connection is back, and counts from its press (SUB-8)", async ({
  page,
  context,
}) => {
  await startTrial(page);
  await page.getByRole("link", { name: "See my orders" }).click();
  const main = page.getByRole("main");
  await expect(main.getByRole("button", { name: "Cancel subscription" })).toBeVisible();
  const sent: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/stripe/unsubscribe")) sent.push(request.postDataJSON());
  });
  await context.setOffline(true);
  await main.getByRole("button", { name: "Cancel subscription" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel subscription" }).click();
  await expect(main.getByText(/^You are offline\. It is sent when the connection is back/)).toBeVisible();
  await page.waitForTimeout(1500);
  await context.setOffline(false);
  await expect(main.getByText(/^It renews no more/)).toBeVisible({ timeout: 20_000 });
  expect(sent.at(-1)).toMatchObject({ pressed_ago_s: expect.any(Number) });
});

test("a renewal uses another card, and the page says which (SUB-6)", async ({ page }) => {
  await startTrial(page);
  await page.goto("/profile");
  const main = page.getByRole("main");
  await main.getByRole("button", { name: "Use another card" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("New card").click();
  await dialog.getByLabel("Card number").fill("4000 0025 0000 3155");
  await dialog.getByRole("textbox", { name: "Expires" }).fill("12/34");
  await dialog.getByLabel("Security code").fill("123");
  await dialog.getByRole("button", { name: "Use this card" }).click();
  await expect(main.getByText(/to Visa ending 3155/)).toBeVisible({ timeout: 20_000 });
});
