// @vitest-environment jsdom
import { afterEach, expect, vi } from "vitest";
import { journey } from "../testing/journey";

afterEach(() => vi.unstubAllGlobals());

journey("a page without an idle moment exports its log at once (LOG-1)", async (page) => {
  await page.goto("/faq");
  await page.settles();
  vi.stubGlobal("requestIdleCallback", () => 0);
  await page.goto("/packages");
  await page.main.sees("Which team?");
  expect(await page.exportedLog()).toContain("/packages");
});
