// Compares the worker in front of a channel API with nginx as a proxy of the same API: requests per second and p99 of a
// personal call, which neither caches, and of a call that the worker caches.
// Usage: node worker/touchline/benches/upstream-proxy.mjs [target/release/touchline]. Needs nginx and wrk; writes into
// docs/benchmarks.md. The API is an nginx that answers from memory. Rounds are interleaved.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { freePort, median, writeFigures } from "./support.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 32;
const AIM = 0.6;
const EXAMPLES = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));

const binary = resolve(process.argv[2] ?? "target/release/touchline");
const folder = mkdtempSync(join(tmpdir(), "touchline-bench-"));
chmodSync(folder, 0o755);
const children = [];

const answerOf = (path) => JSON.stringify(EXAMPLES.paths[path].get.responses["200"].content["application/json"].example);

/** Starts an nginx as the API, and another one in front of it. */
async function startNginx() {
  const [api, proxy] = [await freePort(), await freePort()];
  const answer = (path, body) => `location = ${path} { default_type application/json; return 200 '${body.replaceAll("'", "")}'; }`;
  const common = `
    worker_processes 1; error_log stderr warn; daemon off; events { worker_connections 1024; }`;
  const configs = {
    api: `${common} pid ${folder}/api.pid; http { access_log off; keepalive_requests 100000000;
      server { listen 127.0.0.1:${api};
        ${answer("/api/get_api_key", '{"data":{"api_key":"own"}}')}
        ${answer("/api/orders/1", answerOf("/api/orders/{id}"))}
        ${answer("/api/settings", answerOf("/api/settings"))}
        location / { default_type application/json; return 404 '{"message":"Not Found"}'; } } }`,
    proxy: `${common} pid ${folder}/proxy.pid; http { access_log off; keepalive_requests 100000000;
      upstream api { server 127.0.0.1:${api}; keepalive 512; keepalive_requests 100000000; }
      server { listen 127.0.0.1:${proxy}; location / { proxy_pass http://api; proxy_http_version 1.1;
        proxy_set_header Connection ""; proxy_set_header X-Forwarded-For $remote_addr; } } }`,
  };
  for (const [name, config] of Object.entries(configs)) {
    writeFileSync(join(folder, `${name}.conf`), config);
    children.push(spawn("nginx", ["-c", join(folder, `${name}.conf`), "-p", folder], { stdio: "inherit" }));
  }
  const urls = { api: `http://127.0.0.1:${api}`, proxy: `http://127.0.0.1:${proxy}` };
  for (let tries = 0; tries < 100; tries += 1) {
    const answered = await fetch(`${urls.proxy}/api/orders/1`).then((it) => it.ok, () => false);
    if (answered) return urls;
    await new Promise((waited) => setTimeout(waited, 50));
  }
  throw new Error("nginx did not start");
}

async function startWorker(origin) {
  const flags = ["--listen", "127.0.0.1:0", "--data", join(folder, "data"), "--log", "error", "--origin", origin];
  const worker = spawn(binary, ["serve", ...flags, "--limits-calls-per-minute", "10000000"], { cwd: folder });
  children.push(worker);
  worker.stderr.pipe(process.stderr);
  for await (const line of createInterface({ input: worker.stdout })) return line.replace("touchline listening on ", "");
  throw new Error("the worker did not start");
}

/** Requests per second and the 99th percentile in milliseconds of one round. */
function load(url) {
  const line = ["-t1", `-c${CONNECTIONS}`, `-d${SECONDS}s`, "--latency", url];
  const { stdout } = spawnSync("wrk", line, { encoding: "utf8" });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]), p99: Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit] };
}

function writeDown(rows) {
  const summary =
    `Medians of ${ROUNDS} rounds of ${SECONDS} s each, in turn; ${CONNECTIONS} connections of wrk, one thread, on the ` +
    `${availableParallelism()} cores, shared with the worker, nginx and the API (an nginx that answers from memory).`;
  const head =
    "| call | Touchline requests/s | p99 ms | nginx requests/s | p99 ms | ratio | from to |\n|---|--:|--:|--:|--:|--:|--:|";
  writeFigures("upstream proxy", [summary, "", head, ...rows]);
}

try {
  const urls = await startNginx();
  const worker = await startWorker(urls.api);
  const rows = [];
  let worst = Number.POSITIVE_INFINITY;
  for (const [call, what] of [
    ["orders/1", "`orders/{id}`, forwarded"],
    ["settings", "`settings`, kept"],
  ]) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const ours = load(`${worker}/api/${call}?api_key=one`);
      rounds.push({ ours, theirs: load(`${urls.proxy}/api/${call}?api_key=one`) });
    }
    const ratios = rounds.map(({ ours, theirs }) => ours.rate / theirs.rate);
    const of = (who, what) => median(rounds.map((round) => round[who][what]));
    const cells = [of("ours", "rate").toFixed(0), of("ours", "p99").toFixed(1), of("theirs", "rate").toFixed(0), of("theirs", "p99").toFixed(1)];
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    rows.push(`| ${what} | ${cells.join(" | ")} | ${median(ratios).toFixed(2)} | ${spread} |`);
    console.log(rows.at(-1));
    worst = Math.min(worst, median(ratios));
  }
  if (process.env.BENCH_WRITE !== "0") writeDown(rows);
  if (worst < AIM) throw new Error(`a ratio of ${worst.toFixed(2)} is below the target, ${AIM}`);
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
