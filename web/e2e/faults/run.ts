/**
 * Lost and doubled events under one script of faults: the site beside the libraries that others use, each in the
 * browser, each as it comes. Writes the table into docs/benchmarks.md; fails when the site loses or doubles one.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { startOwn } from "./own";
import { type Peer, startPeer } from "./peers";
import { runScript, seeded } from "./script";

const SEED = 20_261_121;
const DOCUMENT = join(import.meta.dirname, "../../../docs/benchmarks.md");
const BEGIN = "<!-- measured: browser faults -->\n";
const END = "<!-- end: browser faults -->\n";
const PEERS = { "posthog-js": "posthog", "@segment/analytics-next": "segment", "@rudderstack/analytics-js": "rudder" };

interface Result {
  readonly name: string;
  readonly told: number;
  readonly lost: number;
  readonly doubled: number;
  readonly underOtherId: number;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"],
});

async function measure(name: string, { network, arrivals, site }: Peer): Promise<Result> {
  const told = await runScript(browser, network, site, SEED);
  network.close();
  const times = told.map((mark) => arrivals.get(mark) ?? []);
  const result = {
    name,
    told: told.length,
    lost: times.filter((ids) => ids.length === 0).length,
    doubled: times.filter((ids) => ids.length > 1).length,
    underOtherId: times.filter((ids) => new Set(ids).size > 1).length,
  };
  const missing = told.filter((mark) => !arrivals.has(mark));
  process.stderr.write(`${JSON.stringify(result)} ${missing.join(" ")}\n`);
  return result;
}

async function write(results: readonly Result[]): Promise<void> {
  const rows = results.map(
    ({ name, told, lost, doubled, underOtherId }) => `| ${name} | ${told} | ${lost} | ${doubled} | ${underOtherId} |`,
  );
  const text = [
    "Four tabs, two stretches without a network, three of ten event requests lost (half of them after they arrived), four tabs killed, then a minute of peace with the site open. The libraries as they come; their servers' own deduplication by id is not counted in their favour, so the last column tells what it could not mend.",
    "",
    "| | events told | lost | arrived more than once | under more than one id |",
    "|---|--:|--:|--:|--:|",
    ...rows,
  ].join("\n");
  const part = `${BEGIN}\n${text}\n\n${END}`;
  const document = await readFile(DOCUMENT, "utf8").catch(() => "# Benchmarks\n");
  const from = document.indexOf(BEGIN);
  const until = document.indexOf(END);
  const whole =
    from < 0 || until < 0
      ? `${document}\n${part}`
      : document.slice(0, from) + part + document.slice(until + END.length);
  await writeFile(DOCUMENT, whole);
}

const own = await startOwn(seeded(SEED + 1));
const peers = Object.entries(PEERS).map(async ([name, file]) => measure(name, await startPeer(file, seeded(SEED + 1))));
const results = await Promise.all([measure("Touchline", own), ...peers]);
await own.end();
await browser.close();
await write(results);
if (results[0]?.lost !== 0 || results[0].doubled !== 0) process.exitCode = 1;
