import type { Page } from "@playwright/test";

/** Time without requests after which a page counts as idle, ms. */
const QUIET_MS = 500;
const POLL_MS = 50;

/**
 * Waits until the page has made no new request for a while. Playwright's own "networkidle" also waits for the end of
 * each request: a reload aborts requests, and Playwright may wait forever for one.
 */
export async function untilQuiet(page: Page): Promise<void> {
  let last = Date.now();
  const note = (): void => {
    last = Date.now();
  };
  page.on("request", note);
  page.on("requestfinished", note);
  while (Date.now() - last < QUIET_MS) await page.waitForTimeout(POLL_MS);
  page.off("request", note);
  page.off("requestfinished", note);
}
