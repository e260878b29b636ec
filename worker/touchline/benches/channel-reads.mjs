// Compares the channel's reads with nginx: the same bytes, answered by the worker to a visitor or served as files.
// Usage: node worker/touchline/benches/channel-reads.mjs [target/release/touchline]. Needs nginx with its brotli_static
// module, wrk and curl; writes into docs/benchmarks.md. Rounds are interleaved, so that other load on the machine
// affects both.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { freePort, median, writeFigures } from "./support.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 32;
const CALLS = ["channel-bootstrap-data", "events"];
const AIM = 0.8;

const binary = resolve(process.argv[2] ?? "target/release/touchline");
const folder = mkdtempSync(join(tmpdir(), "touchline-bench-"));
// nginx drops root privileges, but has to read the folder.
chmodSync(folder, 0o755);
const children = [];

/** The worker as shipped, without the per-address rate limit. */
async function startWorker() {
  const flags = ["--listen", "127.0.0.1:0", "--data", join(folder, "data"), "--log", "warn"];
  const worker = spawn(binary, ["serve", ...flags, "--limits-calls-per-minute", "10000000"], { cwd: folder });
  children.push(worker);
  worker.stderr.pipe(process.stderr);
  for await (const line of createInterface({ input: worker.stdout }))
    return line.replace("touchline listening on ", "");
  throw new Error("the worker did not start");
}

/** nginx on the files below `root`, with each answer plain, gzipped and in the worker's brotli. */
async function startNginx(root) {
  const port = await freePort();
  const module = "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so";
  const config = `
    load_module ${module};
    worker_processes auto;
    pid ${folder}/nginx.pid;
    error_log stderr warn;
    daemon off;
    events { worker_connections 1024; }
    http {
      access_log off;
      sendfile on;
      tcp_nopush on;
      open_file_cache max=100 inactive=60s;
      keepalive_requests 1000000;
      default_type application/json;
      server { listen 127.0.0.1:${port}; root ${root}; gzip_static on; brotli_static on; }
    }`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const nginx = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "inherit" });
  children.push(nginx);
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries += 1) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return url;
    await new Promise((waited) => setTimeout(waited, 50));
  }
  throw new Error("nginx did not start");
}

async function visitorKey(url) {
  const body = JSON.stringify({ channel_key: "northfield" });
  const answer = await fetch(`${url}/api/get_api_key`, { method: "POST", body });
  return (await answer.json()).data.api_key;
}

/** Returns the compressed bytes, which fetch would decompress. */
function packed(url) {
  const { stdout } = spawnSync("curl", ["-sf", "-H", "Accept-Encoding: br", url], { maxBuffer: 1 << 24 });
  return stdout;
}

/** Requests per second of one round. */
function load(url) {
  const line = ["-t1", `-c${CONNECTIONS}`, `-d${SECONDS}s`, "-H", "Accept-Encoding: br", url];
  const { stdout } = spawnSync("wrk", line, { encoding: "utf8" });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

/** Inserts the figures into docs/benchmarks.md. */
function writeDown(rows) {
  const summary =
    `Medians of ${ROUNDS} rounds of ${SECONDS} s each, in turn; ${CONNECTIONS} connections of wrk, one thread, on the ` +
    `${availableParallelism()} cores, shared with the servers.`;
  const head =
    "| call | bytes, brotli of plain | Touchline requests/s | nginx requests/s | ratio | from to |\n|---|--:|--:|--:|--:|--:|";
  writeFigures("channel reads", [summary, "", head, ...rows]);
}

try {
  const worker = await startWorker();
  const key = await visitorKey(worker);
  const root = join(folder, "files");
  mkdirSync(root);
  const sizes = {};
  for (const call of CALLS) {
    const brotli = packed(`${worker}/api/${call}?api_key=${key}`);
    const plain = brotliDecompressSync(brotli);
    for (const [ending, bytes] of [
      ["", plain],
      [".gz", gzipSync(plain)],
      [".br", brotli],
    ]) {
      writeFileSync(join(root, call + ending), bytes);
    }
    sizes[call] = { plain: plain.length, brotli: brotli.length };
  }
  const nginx = await startNginx(root);
  for (const call of CALLS) {
    if (!packed(`${nginx}/${call}`).equals(readFileSync(join(root, `${call}.br`)))) throw new Error("different bytes");
  }
  let reached = true;
  const rows = [];
  for (const call of CALLS) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const ours = load(`${worker}/api/${call}?api_key=${key}`);
      const theirs = load(`${nginx}/${call}?api_key=${key}`);
      rounds.push({ ours, theirs, ratio: ours / theirs });
    }
    const ratio = median(rounds.map((round) => round.ratio));
    const ours = Math.round(median(rounds.map((round) => round.ours)));
    const theirs = Math.round(median(rounds.map((round) => round.theirs)));
    const spread = rounds.map((round) => round.ratio.toFixed(2)).toSorted();
    const { brotli, plain } = sizes[call];
    rows.push(
      `| \`${call}\` | ${brotli} of ${plain} | ${ours} | ${theirs} | ${ratio.toFixed(2)} | ${spread[0]} to ${spread.at(-1)} |`,
    );
    console.log(rows.at(-1));
    reached &&= ratio >= AIM;
  }
  writeDown(rows);
  if (!reached) console.error(`the target, ${AIM}, is not reached`);
} finally {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(
    children.map((child) => new Promise((gone) => (child.exitCode === null ? child.once("exit", gone) : gone()))),
  );
  rmSync(folder, { recursive: true, force: true });
}
