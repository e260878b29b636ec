import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { IS_ALONE } from "../support/alone";
import { expect, takeLog, test, untilServed } from "../support/journey";
import { readRecords } from "../support/records";
import { enterCard, PAID_EVENT, register } from "../support/viewer";

/** Limit of the time from a press to its refusal, in milliseconds. */
const LIMIT_MS = IS_ALONE ? 1_000 : 10_000;

/** The message if the browser couldn't store the viewer's request. */
const REFUSED = "Something went wrong. Please try again or contact technical support.";

const WEB = join(import.meta.dirname, "../..");

/** Visits the site's pages, one after the other, without a page load. */
async function browses(page: Page): Promise<void> {
  const main = page.getByRole("navigation", { name: "Main" });
  for (const name of ["Packages", "FAQ", "Home"]) {
    await main.getByRole("link", { name }).click();
    await expect(page.getByRole("main")).toBeVisible();
  }
}

type Database = "touchline-log" | "touchline-state";

/**
 * Makes the browser report a full disk to writes into a database, or stops that. Chromium's own override of the quota
 * has no effect when headless.
 */
async function fillDisk(page: Page, database: Database | null): Promise<void> {
  await page.evaluate((full) => {
    const { prototype } = IDBObjectStore as unknown as {
      prototype: { put: IDBObjectStore["put"] & { real?: unknown } };
    };
    const real = (prototype.put.real ?? prototype.put) as IDBObjectStore["put"];
    prototype.put = Object.assign(
      function (this: IDBObjectStore, ...entry: Parameters<IDBObjectStore["put"]>) {
        if (this.transaction.db.name === full) throw new DOMException("full", "QuotaExceededError");
        return real.apply(this, entry);
      },
      { real },
    );
  }, database);
}

test("a full disk loses only log lines: the log records the gap and continues (LOG)", async ({ page }, info) => {
  test.setTimeout(120_000);
  await page.goto("/");
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
  await fillDisk(page, "touchline-log");
  await browses(page);
  await fillDisk(page, null);

  // The log is tried again after at least a second, at the next event.
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
  expect(status, stdout).toBe(3);
});

test("a full disk refuses a favourite at once and a purchase before its call, and both succeed once there is space (PAY-4)", async ({
  page,
  worker,
}) => {
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && /\/api\/(buy|favorite)\b/.test(request.url())) calls.push(request.url());
  });
  await page.goto("/");
  await untilServed(page);
  await register(page);
  await page.goto("/watch/25");
  const heart = page
    .getByRole("main")
    .getByRole("button", { name: / favourites: / })
    .first();
  await expect(heart).toBeVisible();
  await fillDisk(page, "touchline-state");
  const pressed = Date.now();
  await heart.click();
  await expect(page.getByText(REFUSED).first()).toBeVisible();
  expect(Date.now() - pressed).toBeLessThanOrEqual(LIMIT_MS);
  await expect(heart).toHaveAttribute("aria-pressed", "false");
  await fillDisk(page, null);
  await heart.click();
  await expect.poll(() => readRecords(worker.data).favourites).toHaveLength(1);

  await page.goto(PAID_EVENT);
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Buy for/ })
    .first()
    .click();
  await enterCard(page);
  calls.length = 0;
  await fillDisk(page, "touchline-state");
  const paid = Date.now();
  await page.getByRole("button", { name: /^Pay / }).click();
  // The heart's toast has the same text, and may still be visible.
  await expect(page.getByRole("main").getByRole("alert").getByText(REFUSED)).toBeVisible();
  expect(Date.now() - paid).toBeLessThanOrEqual(LIMIT_MS);
  expect(calls).toEqual([]);
  expect(readRecords(worker.data).orders).toEqual([]);
  await fillDisk(page, null);
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByRole("dialog", { name: "Paid. Enjoy the game." })).toBeVisible({ timeout: 20_000 });
  expect(readRecords(worker.data).charges).toEqual(["succeeded"]);
});
