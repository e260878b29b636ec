import { readFile } from "node:fs/promises";
import { test as base, type Page } from "@playwright/test";
import { startWorker, type Worker } from "./worker";

interface Fixtures {
  /** Further flags of `touchline serve`, for `test.use`. */
  flags: readonly string[];
  worker: Worker;
}

/** A journey: a browser of its own against a worker of its own. */
export const test = base.extend<Fixtures>({
  flags: [[], { option: true }],
  worker: async ({ flags }, use, info) => {
    const worker = await startWorker(flags);
    await use(worker);
    if (info.status !== info.expectedStatus) await info.attach("worker", { body: worker.log() });
    await worker.end();
  },
  page: async ({ page }, use, info) => {
    const said: string[] = [];
    page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => said.push(`thrown: ${error.stack ?? error.message}`));
    page.on("response", (response) => {
      if (response.status() >= 400)
        said.push(`${response.status()} ${response.url().replace(/api_key=[^&]*/, "api_key=…")}`);
    });
    await use(page);
    if (info.status !== info.expectedStatus) await info.attach("page", { body: said.join("\n") });
  },
  baseURL: async ({ worker }, use) => use(worker.origin),
});

export { expect } from "@playwright/test";

/** The page's recorded action log, taken the way support takes it. */
export async function takeLog(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.evaluate(() => document.dispatchEvent(new Event("touchline:export-log"))),
  ]);
  return readFile(await download.path(), "utf8");
}

/** Waits until the service worker serves the page: only then can it be loaded without a network. */
export async function untilServed(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}
