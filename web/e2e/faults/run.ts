/**
 * Compares lost and duplicated events under one script of faults: the site beside common libraries, each in the browser
 * with its defaults. Writes the table into docs/benchmarks.md; fails if the site loses or duplicates an event.
 */
import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { writeMeasurements } from "../support/benchmarks";
import { type Peer, startPeer } from "./peers";
import { runScript, seeded } from "./script";
import { startTouchline } from "./touchline";

const SEED = 20_261_121;
const PEERS_FOLDER = join(import.meta.dirname, "../../peers");
const PEERS = { "posthog-js": "posthog", "@segment/analytics-next": "segment", "@rudderstack/analytics-js": "rudder" };

interface Result {
  readonly name: string;
  readonly sent: number;
  readonly lost: number;
  readonly reachedAgain: number;
  readonly doubled: number;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"],
});

async function measure(name: string, { network, arrivals, counted, site }: Peer): Promise<Result> {
  const sent = await runScript(browser, network, site, SEED);
  network.close();
  const reached = sent.map((mark) => arrivals.get(mark) ?? []);
  const counts = sent.map((mark, at) => (counted ? (counted.get(mark) ?? []) : [...new Set(reached[at])]));
  const result = {
    name,
    sent: sent.length,
    lost: counts.filter((ids) => ids.length === 0).length,
    reachedAgain: reached.filter((ids) => ids.length > 1).length,
    doubled: counts.filter((ids) => ids.length > 1).length,
  };
  const missing = sent.filter((_, at) => counts[at]?.length === 0);
  process.stderr.write(`${JSON.stringify(result)} ${missing.join(" ")}\n`);
  return result;
}

async function versions(): Promise<{ readonly [name: string]: string }> {
  const { dependencies } = JSON.parse(await readFile(join(PEERS_FOLDER, "package.json"), "utf8")) as {
    dependencies: { readonly [name: string]: string };
  };
  return dependencies;
}

async function write(results: readonly Result[]): Promise<void> {
  const version = await versions();
  const rows = results.map(
    ({ name, sent, lost, reachedAgain, doubled }) =>
      `| ${[name, version[name]].join(" ").trim()} | ${sent} | ${lost} | ${reachedAgain} | ${doubled} |`,
  );
  const text = [
    `Four tabs in one browser; two offline periods; three of ten event requests lost, half of them after they had arrived; four tabs killed, one of them offline; then a quiet minute, in which the site is opened once more. Seed ${SEED}, all four at the same time, measured ${new Date().toISOString().slice(0, 10)} at load ${Math.round(loadavg()[0] ?? 0)} on ${cpus().length} processors by \`npx tsx e2e/faults/run.ts\` in \`web\`.`,
    "",
    "An event counts as sent once its page received the call and lived for another second: an event that was neither stored nor sent by then is lost with the tab. For Touchline it is a page view, counted at its HTTP sink's destination, after the worker dropped duplicate ids; for the libraries, with their defaults, a `track` or `capture`, counted at a server that accepts each id once, as their servers may. Repeated arrivals are those that a server without such a memory would count twice.",
    "",
    "| | sent | lost | arrived repeatedly | counted more than once |",
    "|---|--:|--:|--:|--:|",
    ...rows,
  ];
  await writeMeasurements("browser faults", text);
}

const touchline = await startTouchline(seeded(SEED + 1));
const peers = Object.entries(PEERS).map(async ([name, file]) => measure(name, await startPeer(file, seeded(SEED + 1))));
const results = await Promise.all([measure("Touchline", touchline), ...peers]);
await touchline.end();
await browser.close();
await write(results);
if (results[0]?.lost !== 0 || results[0].doubled !== 0) process.exitCode = 1;
