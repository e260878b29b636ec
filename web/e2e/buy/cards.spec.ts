import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { expect } from "../support/journey";
import { fillCard, test as inStripe } from "../support/stripe/start";
import { register } from "../support/viewer";

// Cards, and a renewal that fails, with Stripe. Cards in the sandbox: src/journeys/buy/renewals.test.ts.

const PAYS = "4242 4242 4242 4242";
const OTHER_CARD = "4000 0025 0000 3155";
const WEEK_S = 7 * 86_400 + 60;

const csvOf = async (saved: Download) => (await readFile(await saved.path(), "utf8")).trimEnd().split("\r\n");

/** Two cards are added, one becomes the default, the other is removed. */
async function walkCards(page: Page): Promise<void> {
  await page.goto("/profile");
  const cards = page.getByRole("region", { name: "Cards" });
  const rows = cards.getByRole("listitem");
  await expect(cards).toContainText("No saved cards.");
  for (const [number, count] of [
    [PAYS, 1],
    [OTHER_CARD, 2],
  ] as const) {
    await cards.getByRole("button", { name: "Add a card" }).click();
    await fillCard(page, number);
    await cards.getByRole("button", { name: "Save card" }).click();
    await expect(rows).toHaveCount(count);
  }
  await expect(cards.getByText("Default", { exact: true })).toHaveCount(1);
  const other = rows.filter({ hasText: "Visa ending in 3155" });
  const first = rows.filter({ hasText: "Visa ending in 4242" });
  for (const one of [first, other]) {
    const makeDefault = one.getByRole("button", { name: /^Make .* the default$/ });
    if ((await makeDefault.count()) > 0) await makeDefault.click();
    await expect(one.getByText("Default", { exact: true })).toBeVisible();
  }
  await page.reload();
  await expect(other.getByText("Default", { exact: true })).toBeVisible();
  await page.goto("/buy?type=event&event_id=1&single_event_package_id=1001");
  await expect(page.getByRole("radio", { name: /Ending in 3155/ })).toBeChecked();
  await page.goto("/profile");
  await first.getByRole("button", { name: "Remove Visa ending in 4242" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(rows).toHaveCount(1);
}

/** Uses a card other than the saved one. */
async function startTrial(page: Page, number: string): Promise<void> {
  await page.goto("/packages");
  await page.getByRole("main").getByRole("link", { name: "Start free trial" }).click();
  await page.getByText("New card").click();
  await fillCard(page, number);
  await page.getByRole("button", { name: "Start free trial" }).click();
  await expect(page.getByText("Your free trial has started.")).toBeVisible({ timeout: 20_000 });
  await page.goto("/faq");
}

/** From the failed renewal's banner to its payment, and the status of both afterwards. */
async function payWithOtherCard(page: Page): Promise<void> {
  const bar = page.getByRole("status").filter({ hasText: "Monthly subscription couldn’t be renewed." });
  await expect(bar).toContainText("Your card was declined. You haven’t been charged.", { timeout: 20_000 });
  await bar.getByRole("button", { name: "Use another card" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("New card").click();
  await fillCard(page, PAYS);
  await dialog.getByRole("button", { name: "Use this card" }).click();
  await expect(bar).toHaveCount(0, { timeout: 20_000 });
  await page.goto("/profile/transactions");
  await expect(page.getByRole("row").filter({ hasText: "Failed" })).toContainText("You weren’t charged.");
  await expect(page.getByRole("row").filter({ hasText: "Subscription Renewal" }).first()).toContainText("Paid");
  await page.getByRole("button", { name: /^Failed/ }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: /^\d{4} as CSV$/ }).click();
  const lines = await csvOf(await saved);
  expect(lines[0]).toBe("\uFEFFDate,Item,Type,Card,Status,Amount,Fee,Total,Currency,Receipt");
  expect(lines.find((line) => line.includes("Failed"))).toMatch(/,Subscription Renewal,.*,Failed,0.00,0.00,0.00,USD,$/);
  expect(lines.filter((line) => /,Paid,11.99,1.00,12.99,USD,\d{4}-\d+$/.test(line))).not.toHaveLength(0);
  await page.getByRole("link", { name: /^\d{4} statement$/ }).click();
  await expect(page.getByRole("article", { name: /^\d{4} statement/ })).toContainText("$12.99");
  await page.goto("/demo/mail");
  await expect(page.getByText("Monthly subscription couldn't be renewed: use another card").first()).toBeVisible();
}

inStripe(
  "cards are managed, and a failed renewal is shown until it is paid, with Stripe (PAY-16a, PAY-16b, SUB-6b, SUB-6d, ORDER-5a, ORDER-5c, ORDER-5e)",
  async ({ page, provider, worker }) => {
    await register(page);
    await walkCards(page);
    const { cards } = await provider.books();
    expect(cards.filter(({ customer }) => customer !== null)).toHaveLength(1);
    await startTrial(page, "4000 0000 0000 0341");
    await worker.kill();
    await provider.call("clock", { offset: WEEK_S });
    await worker.restart(["--clock-offset", String(WEEK_S)]);
    await payWithOtherCard(page);
    expect(await provider.paid()).toEqual([1299]);
  },
);
