import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, takeLog, test } from "../support/journey";
import { kill } from "../support/killTab";
import { readReports, writeReport } from "../support/report";

const WEB = join(import.meta.dirname, "../..");

function replay(file: string): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync("npx", ["tsx", "replay/cli.ts", file], { cwd: WEB, encoding: "utf8" });
  return { status, said: stdout + stderr };
}

test("a viewer's report from within a dialog reaches support, and its file replays on the command line and on the page (OPS-5a, OPS-5c)", async ({
  page,
  worker,
}) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/upcoming");
  await page.getByRole("main").getByRole("button", { name: "Filters" }).click();
  const filters = page.getByRole("dialog", { name: "Filters" });
  await filters.getByRole("button", { name: "Report a problem" }).click();
  await page.getByLabel("What went wrong?").fill("The list did not scroll.");
  const dialog = page.getByRole("dialog", { name: "Report a problem" });
  // The dialog doesn't offer to report itself.
  await expect(dialog.getByRole("button", { name: "Report a problem" })).toHaveCount(0);
  // The report is displayed before it is sent, and names its page.
  await dialog.getByText("What will be sent").click();
  await expect(dialog.getByText('"format":"touchline-log"')).toBeVisible();
  await expect(dialog.getByText('"window":[390,844]')).toBeVisible();
  await expect(dialog.getByText('"path":"/upcoming"')).toBeVisible();
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  const sent = page.getByRole("dialog").filter({ hasText: "Sent. Thank you." });
  const number = (await sent.locator(".report__receipt").textContent()) ?? "";
  await sent.getByRole("button", { name: "Done" }).click();
  await expect(filters).toBeVisible();

  const list = readReports(worker);
  expect(list).toMatch(new RegExp(`^${number}  .* bytes  \\S+  -  /upcoming  The list did not scroll\\.$`, "m"));
  const report = readReports(worker, number);
  const file = /^log {6}(\S+)/m.exec(report)?.[1] ?? "";
  const ids = /^requests (.+)$/m.exec(report)?.[1]?.split(" ") ?? [];
  // The ids of the page's last calls match the worker's own log.
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) expect(worker.log()).toContain(id);

  // It is stored compressed, and both tools accept it.
  expect(file).toMatch(/\.jsonl\.gz$/);
  const { status, said } = replay(file);
  expect(status, said).toBe(0);
  expect(readReports(worker, number, "--recording")).toMatch(/^\{"format":"touchline-log"/);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("/simulate?qa");
  await page.getByLabel("Log file").setInputFiles(file);
  await expect(page.getByRole("status").getByText("Sagas the same")).toBeVisible();
});

/** Saves the previous page's recording, and replays it. */
async function saveEarlier(page: Page, file: string, ...statuses: readonly number[]): Promise<string> {
  await writeReport(page, "It went white.");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Before the last reload or crash").check();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Save as a file" }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  await writeFile(file, text);
  const { status, said } = replay(file);
  expect(statuses, said).toContain(status);
  return text;
}

test("a crashed tab's recording can be saved in another tab, and replays", async ({ page, context }, info) => {
  await page.goto("/faq");
  await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
  // Only stored lines outlive a tab, and taking a log stores it first.
  expect(await takeLog(page)).toContain('"path":"/faq"');
  await kill(context, page);
  const next = await context.newPage();
  await next.goto("/");
  // No checkpoint covers a tab's last actions before its crash, if there were any.
  expect(await saveEarlier(next, info.outputPath("crashed.jsonl"), 0, 3)).toContain('"path":"/faq"');
});
