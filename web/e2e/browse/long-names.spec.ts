import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";

const CHANNELS = join(import.meta.dirname, "../../../fixtures/channels");
const folder = mkdtempSync(join(tmpdir(), "touchline-long-names-"));
const LONG = "Wmw".repeat(30);
const NAMES = new Set(["name", "short_name", "title"]);

/** The demo channel, in which every name is one word of 90 letters. */
function named(): string {
  cpSync(CHANNELS, folder, { recursive: true });
  for (const file of ["events", "participants", "packages", "subscriptions", "vod", "locations"]) {
    const path = join(folder, `northfield/${file}.json`);
    const renamed = (key: string, value: unknown) => (NAMES.has(key) && typeof value === "string" ? LONG : value);
    writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, "utf8"), renamed)));
  }
  return folder;
}

test.use({ serviceWorkers: "block", flags: ["--channels", named()] });
// One process runs several tests of this file, each of which ends the file.
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** The page's excess width, and the first elements that cause it. */
const overhang = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = [...document.querySelectorAll("body *")].filter(
      (one) => one.getBoundingClientRect().right > clientWidth + 1 && one.children.length === 0,
    );
    return scrollWidth > clientWidth ? wide.slice(0, 4).map((one) => one.getAttribute("class") ?? one.tagName) : [];
  });

const CLIP = {
  id: 7,
  uuid: "0190a6e0-0000-7000-8000-000000000007",
  name: LONG,
  status: "failed",
  tags: ["Goal"],
  start_time: 0,
  duration: 10,
  event_id: 25,
  event_media_id: 1,
  created_at: "2026-01-01T00:00:00Z",
};

test("a name of 90 letters without a space makes no page wider than a phone", async ({ page }) => {
  await page.route("**/api/shared-clip/7?**", (route) => route.fulfill({ json: { data: CLIP } }));
  await page.setViewportSize({ width: 360, height: 800 });
  for (const path of [
    "/",
    "/schedule",
    "/live",
    "/search?q=Wmw",
    "/?participant=101",
    "/packages",
    "/vod_library",
    "/watch/1",
    "/watch/25",
    `/share/7/${CLIP.uuid}`,
  ]) {
    await page.goto(path);
    await expect(page.getByRole("main").getByText(LONG).first(), path).toBeVisible();
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await overhang(page), `${path} at ${width} px`).toEqual([]);
    }
  }
});
