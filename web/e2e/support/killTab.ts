import type { BrowserContext, Page } from "@playwright/test";

/** Kills a tab's process as a crash or the system would: none of its code runs any more. */
export async function kill(context: BrowserContext, page: Page): Promise<void> {
  const crashed = page.waitForEvent("crash");
  const session = await context.newCDPSession(page);
  session.send("Page.crash").catch(() => undefined);
  await crashed;
  await page.close();
}
