import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { longUse } from "../../replay/testing/longUse";
import { readBrowserStorage, readSettledStorage } from "../support/browserStorage";
import { expect, takeLog, test } from "../support/journey";
import { untilSettled } from "../support/settled";
import { register, VERA } from "../support/viewer";

test.use({ sharesWorker: true });

const WEB = join(import.meta.dirname, "../..");
const LOGS = join(WEB, "../fixtures/logs");
const tsx = (...args: string[]): string => execFileSync("npx", ["tsx", ...args], { cwd: WEB, encoding: "utf8" });

/**
 * The command-line replayer's final states for each log. `make replay` records every session first; the browser replays
 * the committed ones.
 */
function replayInNode(folder: string): Map<string, { readonly reducers: string; readonly sagas: string }> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const output = tsx("replay/cli.ts", ...names.map((name) => join(folder, name)));
  const replayStates = [...output.matchAll(/^reducers: same, (.*)\nrecording build: .*\nsagas: same, (.*)$/gm)];
  expect(replayStates, output).toHaveLength(names.length);
  return new Map(
    names.map((name, index) => [
      name,
      { reducers: replayStates[index]?.[1] ?? "", sagas: replayStates[index]?.[2] ?? "" },
    ]),
  );
}

const verdict = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text);

async function open(page: Page, name: string, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  await page.getByLabel("Log file").setInputFiles({ name, mimeType: "application/x-ndjson", buffer });
  await expect(page.getByText(new RegExp(`^${name}, `))).toBeVisible();
}

const read = (name: string): string => readFileSync(join(LOGS, name), "utf8");

test("logs recorded in Node replay in the browser to the same states, and invalid or edited files are reported (LOG-1, LOG-3)", async ({
  page,
}) => {
  const inNode = replayInNode(LOGS);
  await page.goto("/simulate?qa");
  for (const [name, states] of inNode) {
    await test.step(name, async () => {
      await open(page, name, read(name));
      for (const [who, state] of [
        ["Reducers", states.reducers],
        ["Sagas", states.sagas],
      ] as const) {
        await expect(page.getByTitle(state).filter({ hasText: who })).toHaveText(`${who} the same`);
      }
    });
  }

  await open(page, "purchase-paid.jsonl", `\uFEFF${read("purchase-paid.jsonl")}`);
  await expect(verdict(page, "Sagas the same")).toBeVisible();
  const buffer = Buffer.from("not a log\n");
  await page.getByLabel("Log file").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer });
  await expect(verdict(page, "notes.txt: line 1: not JSON")).toBeVisible();
  await expect(verdict(page, /the same/)).toHaveCount(0);
  await expect(page.getByText("No session is open")).toBeVisible();

  const lines = read("purchase-paid.jsonl").split("\n");
  const changed = lines.findIndex((line) => line.includes('"type":"purchase/orderSeen"') && line.includes('"paid"'));
  expect(changed).toBeGreaterThan(0);
  lines[changed] = (lines[changed] ?? "").replace('"status":"paid"', '"status":"failed"');
  await open(page, "changed.jsonl", lines.join("\n"));
  // The page and the command line give the line's number in the file.
  const number = changed + 1;
  await expect(verdict(page, `Sagas diverged at line ${number}`)).toBeVisible();
  await expect(verdict(page, /^Reducers diverged at line/)).toBeVisible();
  await expect(verdict(page, "The log was edited")).toBeVisible();
  await page.getByRole("button", { name: `Go to line ${number}`, exact: true }).click();
  await expect(page.getByText("purchase/orderSeen").first()).toBeVisible();
  await expect(page.getByRole("heading", { name: `Divergence at line ${number}` })).toBeVisible();
});

/** Milliseconds from choosing a file until its session is visible, and until its replay's verdict. */
interface Opened {
  readonly visibleMs: number;
  readonly verdictMs: number;
}

/** Opens a log, and measures in the page. */
async function timedOpen(page: Page, name: string, text: string): Promise<Opened> {
  await page.evaluate((file) => {
    const seen: { began: number; visibleMs?: number; verdictMs?: number } = { began: 0 };
    const look = (): void => {
      const output = document.querySelector("#root")?.textContent ?? "";
      if (output.includes(`${file}, `)) seen.visibleMs ??= performance.now() - seen.began;
      if (output.includes("Sagas the same")) seen.verdictMs ??= performance.now() - seen.began;
    };
    document.addEventListener(
      "change",
      () => {
        seen.began = performance.now();
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
      },
      { capture: true, once: true },
    );
    Object.assign(globalThis, { opened: seen });
  }, name);
  await open(page, name, text);
  await expect(verdict(page, "Sagas the same")).toBeVisible();
  return page.evaluate(() => (globalThis as unknown as { opened: Opened }).opened);
}

test("fifteen minutes of recording open within a second on a fresh page (LOG-1)", async ({ page }, info) => {
  test.setTimeout(120_000);
  const text = await longUse(15);
  const all: Opened[] = [];
  // The best of three rounds counts.
  for (let round = 0; round < 3 && !all.some(({ visibleMs }) => visibleMs < 1_000); round++) {
    await page.goto("/simulate?qa");
    await page
      .getByRole("button", { name: "Open" })
      .first()
      .waitFor({ state: "attached" })
      .catch(() => undefined);
    all.push(await timedOpen(page, `long-${round}.jsonl`, text));
  }
  info.annotations.push({ type: "opened", description: JSON.stringify(all) });
  expect(Math.min(...all.map(({ visibleMs }) => visibleMs))).toBeLessThan(1_000);
});

test("a session plays and scrubs on its own screens, without touching the visitor's data (ROUTE-8a)", async ({
  page,
}) => {
  await register(page);
  await page.evaluate(() => {
    localStorage.setItem("visitor", "kept");
    sessionStorage.setItem("visitor", "kept");
  });
  await page.goto("/simulate?qa");
  await open(page, "purchase-paid.jsonl", read("purchase-paid.jsonl"));
  const screen = page.frameLocator("iframe");
  const position = page.getByRole("slider", { name: "Position" });
  const backTo = async (filter: string): Promise<void> => {
    await page.getByRole("searchbox", { name: "Search" }).fill(filter);
    await page.getByRole("button", { name: "Step back" }).click();
    await expect(page.getByText(filter, { exact: true })).toBeVisible();
  };
  await position.press("End");
  await backTo("purchase/orderSeen");
  await expect(screen.getByText("Paid. Enjoy the game.")).toBeVisible();
  await untilSettled(page);
  const before = await readSettledStorage(page);
  const account = Object.entries(before).filter(([place]) => place.startsWith("touchline-state/account/"));
  expect(account.map(([, text]) => text).join()).toContain(VERA.email);
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));

  await position.press("Home");
  await expect(position).toHaveAttribute("aria-valuenow", "1");
  await page.getByLabel("Speed").selectOption("100");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const last = (await position.getAttribute("aria-valuemax")) ?? "";
  await expect(position).toHaveAttribute("aria-valuenow", last, { timeout: 30_000 });
  // Going back also moves the screen back, to the result and to before it.
  await backTo("purchase/orderSeen");
  await expect(screen.getByText("Paid. Enjoy the game.")).toBeVisible();
  await backTo("purchase/submitPressed");
  await expect(screen.getByText("Paid. Enjoy the game.")).toHaveCount(0);

  // A screen's writes go to the frame's own storage.
  await screen.locator("body").evaluate(() => {
    localStorage.setItem("visitor", "replayed");
    sessionStorage.setItem("visitor", "replayed");
  });

  // A replay requests nothing from the worker, and isn't part of the visitor's own session.
  expect(requested.filter((path) => path.startsWith("/api/"))).toEqual([]);
  expect(await takeLog(page)).not.toContain('"type":"purchase/submitPressed"');
  expect(await readBrowserStorage(page)).toEqual(before);
});
