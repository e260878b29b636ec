import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, takeLog, test } from "./support/journey";

const WEB = join(import.meta.dirname, "..");

/** The site's pages, one after the other, without a load. */
async function browses(page: Page): Promise<void> {
  const main = page.getByRole("navigation", { name: "Main" });
  for (const name of ["Packages", "FAQ", "Home"]) {
    await main.getByRole("link", { name }).click();
    await expect(page.getByRole("main")).toBeVisible();
  }
}

/** Lets the browser say that the disk is full to whoever stores lines of the log, or no longer. Chromium's own override of the quota does nothing when headless. */
async function fillDisk(page: Page, isFull: boolean): Promise<void> {
  await page.evaluate((full) => {
    const { prototype } = IDBObjectStore as unknown as {
      prototype: { put: IDBObjectStore["put"] & { real?: unknown } };
    };
    const real = (prototype.put.real ?? prototype.put) as IDBObjectStore["put"];
    prototype.put = Object.assign(
      function (this: IDBObjectStore, ...entry: Parameters<IDBObjectStore["put"]>) {
        if (full && this.transaction.db.name === "touchline-log") throw new DOMException("full", "QuotaExceededError");
        return real.apply(this, entry);
      },
      { real },
    );
  }, isFull);
}

test("a full disk costs lines of the log and nothing else: it says which, and goes on (LOG)", async ({
  page,
}, info) => {
  test.setTimeout(120_000);
  await page.goto("/");
  await expect(page.getByRole("link", { name: "All live" })).toBeVisible();
  await fillDisk(page, true);
  await browses(page);
  await fillDisk(page, false);

  // The log is tried again after a second or more, at the next thing that happens.
  await expect(async () => {
    await browses(page);
    expect(await takeLog(page)).toContain('"kind":"gap"');
  }).toPass({ timeout: 60_000, intervals: [1_000] });
  await browses(page);

  const log = await takeLog(page);
  const lines = log.trimEnd().split("\n").slice(1);
  const gap = lines.findIndex((line) => line.includes('"kind":"gap"'));
  expect(lines[gap]).toMatch(/"reason":"\w*Quota\w*"/);
  expect(lines[gap + 1]).toContain('"kind":"snapshot"');
  expect(lines.slice(gap + 2).join("\n")).toContain('"type":"navigation/pageOpened"');
  const file = info.outputPath("full-disk.jsonl");
  await writeFile(file, log);
  const { status, stdout } = spawnSync("npx", ["tsx", "replay/cli.ts", file], { cwd: WEB, encoding: "utf8" });
  expect(status, stdout).toBe(0);
});
