// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey } from "../testing/journey";

journey("a declined card is not called confirmed, and its line names the refusal (PAY-2, ORDER-5)", async (page) => {
  await page.signIn();
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.declines);
  const dialog = page.dialog("The payment failed");
  await dialog.sees("Your card was declined.");
  await dialog.sees("Card not confirmed");
  expect(dialog.has("Card confirmed")).toBe(false);
  await dialog.press("Close");
  await page.goto("/profile/transactions");
  await page.main.sees("Your card was declined. Nothing was charged.");
  await page.main.sees("Card not charged");
  expect(page.main.has("No card")).toBe(false);
});
