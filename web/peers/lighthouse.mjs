// Runs Lighthouse over the visitors' landing pages, on a worker of its own with the demo channel: the median of several
// runs of each page, with Lighthouse's benchmark of the machine, since its blocking time depends on that.
//
// node lighthouse.mjs BINARY [RUNS] [PAGE…]

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const [binary, runs = "5", ...pages] = process.argv.slice(2);
const PAGES = pages.length > 0 ? pages : ["/", "/upcoming", "/watch/1", "/vod_library"];
const CHROME = process.env.CHROME_PATH ?? "/usr/bin/chromium";

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function startWorker(data) {
  const worker = spawn(binary, ["serve", "--listen", "127.0.0.1:0", "--data", data], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const line of createInterface({ input: worker.stdout })) {
    const address = /touchline listening on (\S+)/.exec(line)?.[1];
    if (address) return { worker, address };
  }
  throw new Error("the worker did not start");
}

async function measure(url, config) {
  const profile = mkdtempSync(join(tmpdir(), "lighthouse-"));
  const chrome = await launch({
    chromePath: CHROME,
    userDataDir: profile,
    chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  });
  try {
    const { lhr } = await lighthouse(url, { port: chrome.port, logLevel: "error", output: "json" }, config);
    const audit = (name) => lhr.audits[name]?.numericValue ?? Number.NaN;
    const score = (name) => Math.round((lhr.categories[name]?.score ?? 0) * 100);
    const requests = lhr.audits["network-requests"]?.details?.items ?? [];
    const scripts = requests.filter(({ resourceType }) => resourceType === "Script");
    const failed = Object.values(lhr.categories).flatMap(({ id, auditRefs }) =>
      id === "performance"
        ? []
        : auditRefs
            .filter(({ id: name, weight }) => weight > 0 && (lhr.audits[name]?.score ?? 1) < 1)
            .map(({ id }) => id),
    );
    return {
      performance: score("performance"),
      accessibility: score("accessibility"),
      practices: score("best-practices"),
      seo: score("seo"),
      fcp: audit("first-contentful-paint"),
      lcp: audit("largest-contentful-paint"),
      tbt: audit("total-blocking-time"),
      cls: audit("cumulative-layout-shift"),
      requests: requests.length,
      scriptKB: scripts.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024,
      machine: lhr.environment.benchmarkIndex,
      failed,
    };
  } finally {
    await chrome.kill();
    rmSync(profile, { recursive: true, force: true });
  }
}

const FIGURES = ["fcp", "lcp", "tbt", "cls"];
/**
 * A run in which Lighthouse lost a figure, as it does on a page without a long enough quiet period, is reported and
 * repeated.
 */
async function measureWhole(url, config) {
  for (let tries = 0; tries < 3; tries += 1) {
    const seen = await measure(url, config);
    const lost = FIGURES.filter((name) => Number.isNaN(seen[name]));
    if (lost.length === 0) return seen;
    console.log(`<!-- ${url}: a run without ${lost.join(", ")} is repeated -->`);
  }
  throw new Error(`${url}: three runs in a row lost a figure`);
}

const data = mkdtempSync(join(tmpdir(), "touchline-lighthouse-"));
const { worker, address } = await startWorker(join(data, "data"));
try {
  console.log(
    "| page | form | performance | LCP ms | blocking ms | CLS | FCP ms | a11y | practices | SEO | requests | script KB (gzip) | benchmarkIndex |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
  for (const [form, config] of [
    ["mobile", undefined],
    ["desktop", desktopConfig],
  ]) {
    for (const page of PAGES) {
      const seen = [];
      for (let run = 0; run < Number(runs); run += 1) seen.push(await measureWhole(`${address}${page}`, config));
      const of = (name, digits = 0) => median(seen.map((one) => one[name])).toFixed(digits);
      const cells = [of("performance"), of("lcp"), of("tbt"), of("cls", 3), of("fcp"), of("accessibility")];
      const rest = [of("practices"), of("seo"), of("requests"), of("scriptKB", 1), of("machine")];
      console.log(`| ${[page, form, ...cells, ...rest].join(" | ")} |`);
      const failed = [...new Set(seen.flatMap((one) => one.failed))];
      if (failed.length > 0) console.log(`<!-- ${page} ${form}: ${failed.join(", ")} -->`);
    }
  }
} finally {
  worker.kill();
  rmSync(data, { recursive: true, force: true });
}
