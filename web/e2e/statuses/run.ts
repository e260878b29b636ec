/**
 * Measures how soon a paid order appears on Chromium's screen: by push, and by polling every 2 s in a page without a
 * socket, in turn; with one worker on its folder, and with three that share PostgreSQL. Writes the table into
 * docs/benchmarks.md; fails unless the push is 20 times faster with one worker, and 10 times with three.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { chromium, expect, type Page } from "@playwright/test";
import config from "../../playwright.config";
import { writeMeasurements } from "../support/benchmarks";
import { startShared } from "../support/shared";
import { enterCard, register } from "../support/viewer";
import { BINARY, startWorker, type Worker } from "../support/worker";

/** Purchases for each method and each delay. */
const ROUNDS = Number(process.env.ROUNDS ?? 10);
/** The sandbox's payment time, in milliseconds after the answer: spread over the two seconds between two polls. */
const DELAYS = [500, 1_000, 1_500, 2_000];
const FIRST_TEAM = 101;
const run = promisify(execFile);

interface Frame {
  events: { at: number; what: string }[];
}

/** The recorded time of the order's payment, by the clock that the page shares. */
async function paidAt(data: string, id: number): Promise<number> {
  const { stdout } = await run(BINARY, ["order", "show", String(id), "--data", data, "--json"]);
  const paid = (JSON.parse(stdout) as Frame).events.at(-1);
  if (paid === undefined) throw new Error(`order ${id} has no events`);
  return paid.at;
}

/** Buys a team's pass; returns the time from its payment until the page showed it. */
async function buy(page: Page, data: string, team: number): Promise<number> {
  await page.goto(`/buy?type=package&package_id=2&participant_id=${team}`);
  // An unsaved card is entered each time.
  await enterCard(page);
  const pay = page.getByRole("button", { name: /^Pay / });
  await expect(pay).toBeEnabled();
  const paidFrame = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new MutationObserver((_, observer) => {
          if (!/\bPaid\./.test(document.querySelector("main")?.textContent ?? "")) return;
          observer.disconnect();
          // The next frame shows it.
          requestAnimationFrame(() => resolve(Date.now()));
        }).observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
  );
  const answered = page.waitForResponse(/\/api\/stripe\/buy/);
  await pay.click();
  const { data: order } = (await (await answered).json()) as { data: { id: number } };
  return (await paidFrame) - (await paidAt(data, order.id));
}

async function measure(workers: readonly Worker[], push: number[], poll: number[]): Promise<void> {
  const browser = await chromium.launch(config.use?.launchOptions ?? {});
  const open = async (email: string, at: number, listens: boolean) => {
    const worker = workers[at % workers.length] as Worker;
    const context = await browser.newContext({ baseURL: worker.origin });
    const page = await context.newPage();
    if (!listens) await page.routeWebSocket(/\/sync/, (socket) => socket.close());
    await register(page, email);
    return { page, data: worker.data };
  };
  const pushed = await open("pushed@viewer.example", 0, true);
  const polled = await open("polled@viewer.example", 1, false);
  for (let round = 0; round < ROUNDS; round++) {
    push.push(await buy(pushed.page, pushed.data, FIRST_TEAM + round));
    poll.push(await buy(polled.page, polled.data, FIRST_TEAM + round));
  }
  await browser.close();
}

const share = (values: readonly number[], of: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * of) - 1)] ?? 0;
const rows: string[] = [];
for (const [count, aim] of [
  [1, 20],
  [3, 10],
] as const) {
  const [push, poll]: [number[], number[]] = [[], []];
  for (const delay of DELAYS) {
    const shared = count > 1 ? await startShared(BINARY) : null;
    const flags = ["--sandbox-delay-ms", String(delay)];
    const workers = await Promise.all(Array.from({ length: count }, () => startWorker(flags, "nothing", shared)));
    await measure(workers, push, poll);
    for (const worker of workers) await worker.end();
    await shared?.end();
  }
  for (const [name, of] of [
    ["median", 0.5],
    ["p99", 0.99],
  ] as const) {
    const [pushed, polled] = [share(push, of), share(poll, of)];
    const times = polled / Math.max(pushed, 1);
    if (times < aim) process.exitCode = 1;
    rows.push(
      `| ${count === 1 ? "one worker, SQLite" : "three workers, PostgreSQL"} | ${name} of ${push.length} | ${pushed} | ${polled} | ${times.toFixed(1)} | ${aim} |`,
    );
  }
}
await writeMeasurements("statuses", [
  `From the recorded time of an order's payment to the frame of Chromium that shows it, in milliseconds, in turn in two browser contexts; the sandbox pays ${DELAYS.join(", ")} ms after the answer. Measured ${new Date().toISOString().slice(0, 10)} by \`npx tsx e2e/statuses/run.ts\` in \`web\`.`,
  "",
  "| | | push, ms | poll of 2 s, ms | times faster | target |",
  "|---|---|--:|--:|--:|--:|",
  ...rows,
]);
process.stdout.write(`${rows.join("\n")}\n`);
