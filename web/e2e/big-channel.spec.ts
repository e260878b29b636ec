import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, takeLog, test } from "./support/journey";

const EVENTS = 2_000;
const TEAMS = 300;
const WEB = join(import.meta.dirname, "..");

interface Numbered {
  readonly id: number;
  readonly name: string;
}

/** More of the demo's, each with a number and a name of its own. */
function grown<T extends Numbered>(folder: string, file: string, count: number): void {
  const path = join(folder, "northfield", file);
  const given = JSON.parse(readFileSync(path, "utf8")) as T[];
  const first = Math.max(...given.map(({ id }) => id)) + 10_000;
  const more = Array.from({ length: count - given.length }, (_, index) => {
    const one = given[index % given.length] as T & { readonly alias?: string; readonly media?: readonly Numbered[] };
    const id = first + index * 10;
    return {
      ...one,
      id,
      name: `${one.name} ${index}`,
      ...(one.alias === undefined ? {} : { alias: `${one.alias}-${index}` }),
      ...(one.media === undefined ? {} : { media: one.media.map((part, place) => ({ ...part, id: id + place })) }),
    };
  });
  writeFileSync(path, JSON.stringify([...given, ...more]));
}

/** The demo's channels; one of them has 2,000 events and 300 teams. */
function big(): string {
  const folder = mkdtempSync(join(tmpdir(), "touchline-big-"));
  cpSync(join(WEB, "../fixtures/channels"), folder, { recursive: true });
  grown(folder, "events.json", EVENTS);
  grown(folder, "participants.json", TEAMS);
  return folder;
}

const channels = big();
test.use({ flags: ["--channels", channels], viewport: { width: 390, height: 844 } });
test.afterAll(() => rmSync(channels, { recursive: true, force: true }));

test("a big channel on a slow phone is recorded without a gap, and replays (LOG)", async ({ page }, info) => {
  test.setTimeout(180_000);
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto("/upcoming");
  const cards = page.getByRole("main").locator(".event-card");
  await expect(cards.first()).toBeVisible({ timeout: 30_000 });
  // Each page of the list comes as the viewer reaches its end.
  for (let round = 0; round < 8; round++) {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const more = page.getByRole("button", { name: /more/i });
    if (await more.isVisible()) await more.click();
    await page.waitForTimeout(300);
  }
  await page.goto("/schedule");
  await expect(page.getByRole("main")).toBeVisible();
  await page.goto("/");
  await expect(cards.first()).toBeVisible({ timeout: 30_000 });
  const log = await takeLog(page);
  expect(log).not.toContain('"kind":"gap"');
  const file = info.outputPath("big-channel.jsonl");
  writeFileSync(file, log);
  const { status, stdout } = spawnSync("npx", ["tsx", "replay/cli.ts", file], { cwd: WEB, encoding: "utf8" });
  expect(status, stdout).toBe(0);
  console.log(log.length, log.split("\n").length);
});
