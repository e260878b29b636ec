import type { Page } from "@playwright/test";

/**
 * Waits until the page marks itself as settled: no call in flight, no timer due within a second (`session/settled.ts`).
 */
export async function untilSettled(page: Page): Promise<void> {
  await page.locator("html[data-settled]").waitFor({ state: "attached" });
}
