// Pictures of the running site, on a phone and on a desktop, for docs/screenshots. Run by `make screenshots`.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium, type Page } from "@playwright/test";
import config from "../playwright.config";
import { pressPay, register, VERA } from "./support/viewer";
import { startWorker } from "./support/worker";

const folder = resolve(import.meta.dirname, "../../docs/screenshots");
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** The page has its data and its pictures. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
}

const worker = await startWorker();
const browser = await chromium.launch(config.use?.launchOptions ?? {});
mkdirSync(folder, { recursive: true });
try {
  for (const viewport of sizes) {
    const context = await browser.newContext({
      viewport,
      baseURL: worker.origin,
      reducedMotion: "reduce",
      timezoneId: "America/Chicago",
    });
    const page = await context.newPage();
    const take = async (name: string) => {
      await settled(page);
      await page.screenshot({ path: join(folder, `${name}-${viewport.width}.png`) });
    };
    for (const [name, path] of [
      ["home", "/"],
      ["events", "/upcoming"],
      ["watch", "/watch/1"],
      ["login", "/login"],
      ["register", "/registration"],
      ["packages", "/packages"],
      ["library", "/vod_library"],
      ["lost", "/404"],
    ] as const) {
      await page.goto(path);
      await take(name);
    }
    await register(page, `${viewport.width}.${VERA.email}`);
    await page.goto("/buy?type=event&event_id=1");
    await take("buy");
    await pressPay(page);
    await page.getByText("Paid").first().waitFor();
    await page.goto("/profile");
    await take("profile");
    await context.close();

    const french = await browser.newContext({ viewport, reducedMotion: "reduce", timezoneId: "America/Toronto" });
    const quebec = await french.newPage();
    await quebec.goto(worker.origin.replace("127.0.0.1", "laurentides.localhost"));
    await settled(quebec);
    await quebec.screenshot({ path: join(folder, `laurentides-${viewport.width}.png`) });
    await french.close();
  }
} finally {
  await browser.close();
  await worker.end();
}
