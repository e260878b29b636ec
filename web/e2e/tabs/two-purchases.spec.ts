import type { Page } from "@playwright/test";
import { expect } from "../support/journey";
import { test } from "../support/proxyJourney";
import { readCharges } from "../support/records";
import { enterCard, expectPlaying, register } from "../support/viewer";

const GAME = "/buy?type=event&event_id=1&single_event_package_id=1001";
const OTHER_GAME = "/buy?type=event&event_id=2&single_event_package_id=1002";
const PASS = "/buy?type=package&package_id=1";

const payButton = (page: Page) => page.getByRole("button", { name: /^Pay / });
const paidTitle = (page: Page) => page.getByText(/^Paid\./);

/** Opens a buy page and types a card, without paying. */
async function prepare(page: Page, address: string): Promise<Page> {
  await page.goto(address);
  await enterCard(page);
  return page;
}

test("a purchase in one tab leaves the other as it was, and one video plays at a time (PAY-18b, PLAYBACK-2)", async ({
  page,
  context,
  worker,
}) => {
  await register(page);
  const other = await context.newPage();
  await prepare(page, GAME);
  await prepare(other, PASS);
  const typed = await other.getByLabel("Card number").inputValue();
  await payButton(page).click();
  await expect(paidTitle(page)).toBeVisible({ timeout: 20_000 });
  await expectPlaying(page);
  expect(new URL(page.url()).pathname).toBe("/watch/1");
  expect(other.url()).toContain(PASS);
  await expect(other.getByLabel("Card number")).toHaveValue(typed);
  await expect(other.locator("video")).toHaveCount(0);
  await payButton(other).click();
  await expect(paidTitle(other)).toBeVisible({ timeout: 20_000 });
  expect(readCharges(worker.data)).toHaveLength(2);

  await other.goto("/watch/1");
  await other.getByRole("button", { name: "Watch live" }).click();
  await expectPlaying(other);
  await expect(page.getByText("Paused: a video is playing in another tab.")).toBeVisible();
  const isPaused = (tab: Page) => tab.locator("video").evaluate(({ paused }: HTMLVideoElement) => paused);
  expect(await isPaused(page)).toBe(true);
  await page.getByRole("group", { name: "Video player" }).getByRole("button", { name: "Play", exact: true }).click();
  await expect(page.getByText("Paused: a video is playing in another tab.")).toHaveCount(0);
  await expect.poll(() => isPaused(other)).toBe(true);
});

test("Pay pressed in two tabs at once: one is paid, the other says that nothing was paid and pays on the next press (PAY-18a, PAY-18c, PAY-18d)", async ({
  page,
  context,
  between,
  worker,
}) => {
  await register(page);
  const other = await context.newPage();
  await prepare(page, OTHER_GAME);
  await prepare(other, PASS);
  // The other tab's card is stored while the first tab orders.
  const card = between.hold("/api/stripe/sandbox-card");
  await payButton(other).click();
  await card.answered;
  const order = between.hold("/api/stripe/buy");
  await payButton(page).click();
  await order.answered;
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Creating your order")).toBeVisible();
  await expect(dialog.getByText("Order created")).toHaveCount(0);
  card.release();
  await expect(other.getByText("Nothing was paid. Press Pay again.")).toBeVisible();
  await expect(other.getByRole("dialog")).toHaveCount(0);
  order.release();
  await expect(paidTitle(page)).toBeVisible({ timeout: 20_000 });
  await payButton(other).click();
  await expect(paidTitle(other)).toBeVisible({ timeout: 20_000 });
  expect(readCharges(worker.data)).toHaveLength(2);
});
