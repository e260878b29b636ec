// @vitest-environment jsdom
import { expect, vi } from "vitest";
import { journey } from "./testing/journey";

// The chunk's texts never arrive.
vi.mock("../i18n/fr", () => ({ first: new Promise(() => undefined) }));

journey("without a language's texts the site opens in English after two minutes (START-7b)", async (page) => {
  page.browser.config.language = "fr";
  const opened = page.goto("/faq");
  const started = Date.now();
  await page.browser.until(() => expect(Date.now() - started).toBeGreaterThan(1_000));
  vi.advanceTimersByTime(118_000);
  await page.browser.until(() => expect(Date.now() - started).toBeGreaterThan(119_500));
  expect(page.has(/./)).toBe(false);
  await opened;
  await page.within("main h1", "Questions and answers").appears();
  expect(Date.now() - started).toBeGreaterThanOrEqual(120_000);
});
