// Pictures of the running site, on a phone and on a desktop, for docs/screenshots; those of the home pages also for the
// demo channels, which show them when the site is installed. Run by `make screenshots`.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium, expect, type Page } from "@playwright/test";
import config from "../playwright.config";
import { untilQuiet } from "./support/idle";
import { untilServed } from "./support/journey";
import { expectPlaying } from "./support/viewer";
import { startWorker } from "./support/worker";

const folder = resolve(import.meta.dirname, "../../docs/screenshots");
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const PAGES = [
  ["home", "/"],
  ["events", "/upcoming"],
  ["watch", "/watch/4"],
  ["login", "/login"],
  ["register", "/registration"],
  ["packages", "/packages"],
  ["library", "/vod_library"],
  ["faq", "/faq"],
  ["lost", "/404"],
] as const;

type TakePicture = (name: string) => Promise<void>;

/** The page has its data, pictures and fonts. */
async function settled(page: Page): Promise<void> {
  await untilQuiet(page);
  await page.evaluate(async () => {
    await document.fonts.ready;
    const pendingImages = [...document.images].filter(({ complete, loading }) => !complete && loading !== "lazy");
    await Promise.all(pendingImages.map((image) => image.decode().catch(() => undefined)));
  });
}

async function visit(page: Page, takePicture: TakePicture): Promise<void> {
  for (const [name, path] of PAGES) {
    await page.goto(path);
    await page.locator("main h1").first().waitFor({ state: "attached" });
    await takePicture(name);
  }
}

/** Buys a live event and watches it; then the network is lost. */
async function buyAndWatch(page: Page, takePicture: TakePicture): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Email").fill("demo@northfield.example");
  await page.getByLabel(/^Password/).fill("touchline");
  await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
  await expect(page).not.toHaveURL(/login/);
  await page.goto("/buy?type=event&event_id=1");
  await takePicture("buy");
  const pay = async (card: string) => {
    await page.getByRole("radio", { name: /^New card/ }).check();
    await page.getByLabel("Card number").fill(card);
    await page.getByLabel("Expires").fill("12/30");
    await page.getByLabel("Security code").fill("123");
    await page.getByRole("button", { name: /^Pay / }).click();
  };
  await pay("4000000000000002");
  await page.getByText("Payment failed").waitFor();
  await takePicture("declined");
  await page.getByRole("button", { name: "Use another card" }).click();
  await pay("4000002500003155");
  await page.getByText("Confirm with your bank").waitFor();
  await takePicture("bank");
  await page.getByRole("button", { name: "Yes, pay" }).click();
  const watch = page.getByRole("dialog").getByRole("link", { name: "Watch" });
  await watch.waitFor({ timeout: 30_000 });
  await takePicture("paid");
  await watch.click();
  await expectPlaying(page);
  await page.locator(".player").hover();
  await page.screenshot({ path: pathOf("playing", page) });
  await page.goto("/profile");
  await takePicture("profile");
  await page.goto("/");
  await settled(page);
  await untilServed(page);
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText("You’re offline.").first()).toBeVisible();
  await takePicture("offline");
}

const pathOf = (name: string, page: Page): string => join(folder, `${name}-${page.viewportSize()?.width}.png`);

/** The home page, as a demo channel's manifest shows it. */
async function takeManifestPicture(channel: string, page: Page): Promise<void> {
  await page.goto("/");
  await settled(page);
  const targetFolder = resolve(import.meta.dirname, "../../fixtures/channels", channel, "media/screens");
  mkdirSync(targetFolder, { recursive: true });
  const path = join(targetFolder, `home-${page.viewportSize()?.width}.jpg`);
  await page.screenshot({ path, type: "jpeg", quality: 60 });
}

const browser = await chromium.launch(config.use?.launchOptions ?? {});
mkdirSync(folder, { recursive: true });
try {
  for (const viewport of SIZES) {
    // One per size: nobody has bought anything yet.
    const worker = await startWorker();
    const open = async (baseURL: string, timezoneId: string) => {
      const context = await browser.newContext({ viewport, baseURL, timezoneId, reducedMotion: "reduce" });
      const page = await context.newPage();
      const takePicture: TakePicture = async (name) => {
        await settled(page);
        await page.screenshot({ path: pathOf(name, page) });
      };
      return { context, page, take: takePicture };
    };
    try {
      const northfield = await open(worker.origin, "America/Chicago");
      await takeManifestPicture("northfield", northfield.page);
      await visit(northfield.page, northfield.take);
      await buyAndWatch(northfield.page, northfield.take);
      await northfield.context.close();

      const laurentides = await open(worker.origin.replace("127.0.0.1", "laurentides.localhost"), "America/Toronto");
      await laurentides.page.goto("/");
      // The channel asks for consent to record the visit.
      await laurentides.page.getByRole("button", { name: "Refuser", exact: true }).click();
      await laurentides.take("laurentides");
      await takeManifestPicture("laurentides", laurentides.page);
      await laurentides.page.goto("/watch/1");
      await laurentides.page.locator("main h1").first().waitFor();
      await laurentides.take("laurentides-watch");
      await laurentides.context.close();
    } finally {
      await worker.end();
    }
  }
} finally {
  await browser.close();
}
