import { readFile } from "node:fs/promises";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { type KeyWatch, searchBrowserStorage, watchKeys } from "./secrets";
import { startShared } from "./shared";
import { BINARY, startWorker, type UpstreamKind, type Worker } from "./worker";
import { createWorkerPool, type WorkerPool } from "./workerPool";

export interface Fixtures {
  /** Further flags of `touchline serve`, for `test.use`. */
  flags: readonly string[];
  /** The API behind the worker; `UPSTREAM` sets it for a whole run. */
  behind: UpstreamKind | undefined;
  /** Whether records, media and lake are in PostgreSQL and S3. */
  shares: boolean;
  /** Whether a file's journeys share a worker, for journeys that change nothing another one reads. */
  sharesWorker: boolean;
  worker: Worker;
}

/** A journey: a browser of its own with a worker of its own, or its file's. */
export const test = base.extend<Fixtures, { pool: WorkerPool }>({
  pool: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from the pattern.
    async ({}, use) => {
      const pool = createWorkerPool();
      await use(pool);
      await pool.end();
    },
    { scope: "worker" },
  ],
  flags: [[], { option: true }],
  behind: [undefined, { option: true }],
  shares: [false, { option: true }],
  sharesWorker: [false, { option: true }],
  worker: async ({ pool, flags, behind, shares, sharesWorker }, use, info) => {
    const shared = shares ? await startShared(BINARY) : null;
    const start = () => startWorker(flags, behind, shared);
    const worker = await (sharesWorker ? pool.of(JSON.stringify([info.file, flags, behind]), start) : start());
    await use(worker);
    if (info.status !== info.expectedStatus) await info.attach("worker", { body: worker.log() });
    if (!sharesWorker) await worker.end();
    await shared?.end();
  },
  page: async ({ page }, use, info) => {
    const said: string[] = [];
    page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => said.push(`thrown: ${error.stack ?? error.message}`));
    page.on("response", (response) => {
      if (response.status() >= 400)
        said.push(`${response.status()} ${response.url().replace(/api_key=[^&]*/, "api_key=…")}`);
    });
    const keys = watchKeys(page.context());
    await use(page);
    if (info.status === info.expectedStatus) return expectNoSecret(page.context(), keys);
    await info.attach("page", { body: said.join("\n") });
    // A page that crashed or shows another site has none.
    const log = await takeLog(page).catch((error: unknown) => `no log: ${error}`);
    await info.attach("actions.jsonl", { body: log });
  },
  baseURL: async ({ worker }, use) => use(worker.origin),
});

/** LOG-2: after a journey no data of its people is anywhere in the browser outside the account's own object store. */
export async function expectNoSecret(context: BrowserContext, keys: KeyWatch): Promise<void> {
  const page = context.pages().find((one) => !one.isClosed() && one.url().startsWith("http"));
  // A journey without an open page has nothing to search.
  if (!page) return;
  const { leaks } = await searchBrowserStorage(page, keys.needles());
  expect(leaks, "secrets in the browser's storage").toEqual([]);
}

export { expect } from "@playwright/test";

/** The longest wait for a page to write its log, in milliseconds. */
const LOG_TIMEOUT_MS = 10_000;

/** The page's recorded action log, exported as support does. */
export async function takeLog(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: LOG_TIMEOUT_MS }),
    page.evaluate(() => document.dispatchEvent(new Event("touchline:export-log"))),
  ]);
  return readFile(await download.path(), "utf8");
}

/** Waits until the service worker serves the page: only then can it be loaded without a network. */
export async function untilServed(page: Page): Promise<void> {
  // All files of the build are stored before: how long that takes is the machine's.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, null, { timeout: 60_000 });
}
