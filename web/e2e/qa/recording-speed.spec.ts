import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Added } from "../../bench/dispatches";
import { IS_ALONE } from "../support/alone";
import { expect, takeLog, test } from "../support/journey";

const EVENTS = 2_000;
const TEAMS = 300;
const WEB = join(import.meta.dirname, "../..");

interface Numbered {
  readonly id: number;
  readonly name: string;
  readonly alias?: string;
  readonly single_event_package_id?: number;
  readonly media?: readonly { readonly id: number }[];
}

/** More of the demo's records, with new ids and names. */
function grown(folder: string, file: string, count: number): void {
  const path = join(folder, "northfield", file);
  const records = JSON.parse(readFileSync(path, "utf8")) as Numbered[];
  const more = Array.from({ length: count - records.length }, (_, index) => {
    const one = records[index % records.length] as Numbered;
    const id = 100_000 + index * 20;
    return {
      ...one,
      id,
      name: `${one.name} ${index}`,
      ...(one.alias === undefined ? {} : { alias: `${one.alias}-${index}` }),
      ...(one.single_event_package_id === undefined ? {} : { single_event_package_id: id }),
      ...(one.media === undefined ? {} : { media: one.media.map((part, place) => ({ ...part, id: id + place })) }),
    };
  });
  writeFileSync(path, JSON.stringify([...records, ...more]));
}

/** The demo's channels; one of them has 2,000 events and 300 teams. */
function big(): string {
  const folder = mkdtempSync(join(tmpdir(), "touchline-big-"));
  cpSync(join(WEB, "../fixtures/channels"), folder, { recursive: true });
  grown(folder, "events.json", EVENTS);
  grown(folder, "participants.json", TEAMS);
  return folder;
}

/**
 * Limits of the time that recording may add per dispatch on the throttled processor, at the 99th percentile and at
 * most: half a frame and a frame, in milliseconds.
 */
const P99_ADDED = 8;
const MAX_ADDED = 16;

/** The measurement bundled for a page, under the name `bench`. */
async function measurement(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(WEB, "bench/dispatches.ts")],
    bundle: true,
    format: "iife",
    globalName: "bench",
    minify: true,
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0]?.text ?? "";
}

const channels = big();
test.use({ flags: ["--channels", channels], viewport: { width: 1024, height: 844 } });
test.afterAll(() => rmSync(channels, { recursive: true, force: true }));

test("a big channel on a slow phone is recorded without a gap, and replays (LOG-1)", async ({ page }, info) => {
  test.setTimeout(240_000);
  const session = await page.context().newCDPSession(page);
  // Other journeys slow the page as well.
  await session.send("Emulation.setCPUThrottlingRate", { rate: IS_ALONE ? 4 : 2 });
  await page.goto("/");
  const main = page.getByRole("main");
  const menu = page.getByRole("navigation", { name: "Main" });
  await expect(main.locator(".event-card").first()).toBeVisible({ timeout: 30_000 });
  for (let round = 0; round < (IS_ALONE ? 3 : 1); round++) {
    // Each page of the list is as long as the worker sends it.
    await menu.getByRole("link", { name: "Schedule" }).click();
    await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
    for (let part = 0; part < 6; part++) {
      const more = main.getByRole("button", { name: /more/i });
      if (!(await more.isVisible())) break;
      await more.click();
      await expect(more).toBeEnabled();
    }
    await menu.getByRole("link", { name: "Library" }).click();
    await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
    await menu.getByRole("link", { name: "Home" }).click();
    await expect(main.locator(".event-card").first()).toBeVisible({ timeout: 30_000 });
  }
  const log = await takeLog(page);
  expect(log).not.toContain('"kind":"gap"');
  const file = info.outputPath("big-channel.jsonl");
  writeFileSync(file, log);
  const { status, stdout } = spawnSync("npx", ["tsx", "replay/cli.ts", file], { cwd: WEB, encoding: "utf8" });
  expect(status, stdout).toBe(0);

  if (!IS_ALONE) return;
  // The same actions and answers again on the throttled processor, recorded and not, on an empty page of the origin,
  // since the worker's own answer would block scripts.
  await page.route("**/robots.txt", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await page.goto("/robots.txt");
  await page.evaluate(await measurement());
  const added = await page.evaluate(
    (text) =>
      (globalThis as unknown as { bench: typeof import("../../bench/dispatches") }).bench.measureDispatches(text),
    log,
  );
  info.annotations.push({ type: "added", description: JSON.stringify(added satisfies Added) });
  expect(added.actions).toBeGreaterThan(40);
  expect(added.p99).toBeLessThan(P99_ADDED);
  expect(added.most).toBeLessThan(MAX_ADDED);
});
