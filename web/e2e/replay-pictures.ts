// Pictures of QA's path from a viewer's report to a failing test, for docs/replay.md. Run by `make screenshots`.

import { join, resolve } from "node:path";
import { chromium, type Page } from "@playwright/test";
import config from "../playwright.config";
import { untilQuiet } from "./support/idle";
import { readReports, sendReport, writeReport } from "./support/report";
import { pressPay, register } from "./support/viewer";
import { startWorker } from "./support/worker";

const folder = resolve(import.meta.dirname, "../../docs/screenshots");

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(folder, `replay-${name}.png`) });
}

/** Opens a recording on the replayer's page, with the viewer's screens loaded. */
async function open(page: Page, name: string, text: string): Promise<void> {
  await page.goto("/simulate?qa");
  await page.getByLabel("Log file").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page
    .getByRole("status")
    .getByText(/^Sagas (the same|diverged)/)
    .waitFor();
  await untilQuiet(page);
}

/** The viewer's screen is visible. */
const untilVisible = (page: Page): Promise<void> =>
  page.frameLocator("iframe").getByRole("heading", { name: "Buy this event" }).waitFor();

/** Goes to the last step that matches a filter. */
async function goTo(page: Page, filter: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Search" }).fill(filter);
  await page.getByRole("slider", { name: "Position" }).press("End");
  await page.getByRole("button", { name: "Step back" }).click();
}

const worker = await startWorker();
const browser = await chromium.launch(config.use?.launchOptions ?? {});
try {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    baseURL: worker.origin,
    reducedMotion: "reduce",
    timezoneId: "America/Chicago",
  });
  const page = await context.newPage();
  await register(page);
  await pressPay(page, "/watch/1", "4000000000000002");
  await page.getByRole("dialog", { name: "Payment failed" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).first().click();
  await writeReport(page, "My card was declined, and it is a good one.");
  await page.getByText("What will be sent").click();
  await take(page, "report");
  const number = await sendReport(page);
  const log = readReports(worker, number, "--recording");
  await open(page, `${number}.jsonl`, log);
  await goTo(page, "purchase/orderSeen");
  await untilVisible(page);
  await take(page, "page");

  // As a build that mistook a declined card for a paid one.
  const forged = log.replace(/("type":"purchase\/orderSeen".*"status":")failed"/, '$1paid"');
  await open(page, `${number}.jsonl`, forged);
  await page.getByRole("button", { name: /^Go to line \d+$/ }).click();
  await untilVisible(page);
  await page.getByRole("heading", { name: /^Divergence at/ }).scrollIntoViewIfNeeded();
  await take(page, "divergence");
  await context.close();
} finally {
  await browser.close();
  await worker.end();
}
