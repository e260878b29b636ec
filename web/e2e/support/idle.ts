import type { Page } from "@playwright/test";

/** For how long a page that has come to rest asks for nothing, ms. */
const QUIET_MS = 500;
const LOOK_EVERY_MS = 50;

/**
 * Waits until the page has asked for nothing new for a while. Playwright's own "networkidle" waits until each request has
 * ended as well: a page that loads itself anew cuts requests off, and Playwright may wait for the end of one for ever.
 */
export async function untilQuiet(page: Page): Promise<void> {
  let last = Date.now();
  const note = (): void => {
    last = Date.now();
  };
  page.on("request", note);
  page.on("requestfinished", note);
  while (Date.now() - last < QUIET_MS) await page.waitForTimeout(LOOK_EVERY_MS);
  page.off("request", note);
  page.off("requestfinished", note);
}
