// Pictures, for inspection, of the main routes of a channel at its limits (2,000 events, 300 teams, names that are long
// or right-to-left, missing pictures) and of an empty one, at each width. Run by `make pictures-edges`, into FOLDER.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "@playwright/test";
import config from "../playwright.config";
import { edgeChannels, emptyChannels, MAIN_ROUTES, SIZES } from "./support/edgeChannels";
import { untilQuiet } from "./support/idle";
import { startWorker } from "./support/worker";

const folder = resolve(process.argv[2] ?? "edge-pictures");
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch(config.use?.launchOptions ?? {});
try {
  for (const [name, channels] of [
    ["edges", edgeChannels()],
    ["empty", emptyChannels()],
  ] as const) {
    const worker = await startWorker(["--channels", channels.path]);
    try {
      const context = await browser.newContext({
        baseURL: worker.origin,
        timezoneId: "America/Chicago",
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      for (const [route, path] of MAIN_ROUTES) {
        await page.goto(path);
        await page.locator("main h1, main h2").first().waitFor({ state: "attached" });
        await untilQuiet(page);
        for (const size of SIZES) {
          await page.setViewportSize(size);
          await page.screenshot({ path: join(folder, `${name}-${route}-${size.width}.png`) });
        }
      }
      await context.close();
    } finally {
      await worker.end();
      channels.remove();
    }
  }
} finally {
  await browser.close();
}
console.log(`written to ${folder}`);
