import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "./support/journey";

const WEB = join(import.meta.dirname, "..");
const LOGS = join(WEB, "../fixtures/logs");
const names = readdirSync(LOGS).filter((name) => name.endsWith(".jsonl"));

/** What the command-line replayer says of each log: the states that it ended in. */
function replayInNode(): Map<string, { readonly reducers: string; readonly sagas: string }> {
  const said = execFileSync("npx", ["tsx", "replay/cli.ts", ...names.map((name) => join(LOGS, name))], {
    cwd: WEB,
    encoding: "utf8",
  });
  const told = [...said.matchAll(/^reducers: same, (.*)\nsagas: same, (.*)$/gm)];
  expect(told, said).toHaveLength(names.length);
  return new Map(
    names.map((name, index) => [name, { reducers: told[index]?.[1] ?? "", sagas: told[index]?.[2] ?? "" }]),
  );
}

const verdict = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text);

async function open(page: Page, name: string, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  await page.getByLabel("Log file").setInputFiles({ name, mimeType: "application/x-ndjson", buffer });
  await expect(page.getByText(new RegExp(`^${name}, `))).toBeVisible();
}

const read = (name: string): string => readFileSync(join(LOGS, name), "utf8");

test("logs that were recorded in Node replay in the browser to the same states", async ({ page }) => {
  const inNode = replayInNode();
  await page.goto("/simulate?qa");
  for (const name of names) {
    await test.step(name, async () => {
      await open(page, name, read(name));
      const states = inNode.get(name);
      for (const [who, state] of [
        ["Reducers", states?.reducers],
        ["Sagas", states?.sagas],
      ] as const) {
        const told = page.getByTitle(state ?? "").filter({ hasText: who });
        await expect(told).toHaveText(`${who} the same`);
      }
    });
  }
});

test("a log with one payload changed diverges at its line, and the page goes there", async ({ page }) => {
  const text = read("purchase-paid.jsonl");
  const lines = text.split("\n");
  const changed = lines.findIndex((line) => line.includes('"type":"purchase/orderSeen"') && line.includes('"paid"'));
  expect(changed).toBeGreaterThan(0);
  lines[changed] = (lines[changed] ?? "").replace('"status":"paid"', '"status":"failed"');
  await page.goto("/simulate?qa");
  await open(page, "changed.jsonl", lines.join("\n"));
  // The header is line 1 of the file: a line's place in the recording is one less.
  await expect(verdict(page, `Sagas diverged at ${changed}`)).toBeVisible();
  await expect(verdict(page, /^Reducers diverged at/)).toBeVisible();
  await page.getByRole("button", { name: `Go to ${changed}`, exact: true }).click();
  await expect(page.getByText("purchase/orderSeen").first()).toBeVisible();
  await expect(page.getByRole("heading", { name: `Divergence at ${changed}` })).toBeVisible();
});

test("what is no log is said to be none, and nothing is opened", async ({ page }) => {
  await page.goto("/simulate?qa");
  await page.getByLabel("Log file").setInputFiles({
    name: "notes.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("not a log\n"),
  });
  await expect(verdict(page, "notes.txt: line 1: not JSON")).toBeVisible();
  await expect(page.getByText("No session is open")).toBeVisible();
});
