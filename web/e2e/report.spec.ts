import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./support/journey";
import { readReports, sendReport, writeReport } from "./support/report";

const WEB = join(import.meta.dirname, "..");

function replay(file: string): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync("npx", ["tsx", "replay/cli.ts", file], { cwd: WEB, encoding: "utf8" });
  return { status, said: stdout + stderr };
}

test("a viewer's report reaches support, and its file replays on the desk and on the page (LOG)", async ({
  page,
  worker,
}) => {
  test.setTimeout(120_000);
  await page.goto("/upcoming");
  await expect(page.getByRole("main").getByRole("link").first()).toBeVisible();
  await writeReport(page, "The list did not scroll.");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("What will be sent").click();
  await expect(dialog.getByText('"format":"touchline-log"')).toBeVisible();
  const number = await sendReport(page);

  const list = readReports(worker);
  expect(list).toMatch(new RegExp(`^${number}  .* bytes  /upcoming  The list did not scroll\\.$`, "m"));
  const report = readReports(worker, number);
  const file = /^log {6}(\S+)/m.exec(report)?.[1] ?? "";
  const ids = /^requests (.+)$/m.exec(report)?.[1]?.split(" ") ?? [];
  // The ids of the page's last calls are those of the worker's own log.
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) expect(worker.log()).toContain(id);

  const { status, said } = replay(file);
  expect(status, said).toBe(0);
  await page.goto("/simulate?qa");
  await page.getByLabel("Log file").setInputFiles(file);
  await expect(page.getByRole("status").getByText("Sagas the same")).toBeVisible();
});

test("what a page did before it was reloaded can be saved as a file, and replays", async ({ page }, info) => {
  await page.goto("/packages");
  await expect(page.getByRole("main").getByRole("link").first()).toBeVisible();
  await page.reload();
  await writeReport(page, "It went white, and I reloaded.");
  await page.getByRole("dialog").getByLabel("Before the last reload").check();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("dialog").getByRole("button", { name: "Save as a file" }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  expect(text).toContain('"path":"/packages"');
  const file = info.outputPath("earlier.jsonl");
  await writeFile(file, text);
  const { status, said } = replay(file);
  expect(status, said).toBe(0);
});
