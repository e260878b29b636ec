// Processor time of the worker for paid video behind nginx as a cache (docs/deploy/nginx-cache.conf), compared with
// sending each segment itself: 500 viewers of 20 streams request a segment of 1 MB every 4 s. Playlists are measured
// apart.
// Usage: node worker/touchline/benches/video-cache.mjs [target/release/touchline]. Needs nginx; writes into
// docs/benchmarks.md. Rounds are interleaved. The processor time of the idle worker is subtracted.

import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as open } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort, median, writeFigures } from "./support.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const VIEWERS = Number(process.env.BENCH_VIEWERS ?? 500);
const STREAMS = 20;
const SEGMENT_BYTES = 1_000_000;
const PACE_S = 4;
/** Segments per viewer and round. */
const SEGMENTS = 7;
const AIM = 0.15;
const TICKS_PER_MS = Number(spawnSync("getconf", ["CLK_TCK"], { encoding: "utf8" }).stdout) / 1000;

const path = (relative) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const binary = resolve(process.argv[2] ?? "target/release/touchline");
const folder = mkdtempSync(join(tmpdir(), "touchline-bench-"));
// nginx drops root privileges, but has to read the folder.
chmodSync(folder, 0o755);
const children = [];
const agent = new Agent({ keepAlive: true, maxSockets: 600 });

/** The demo channel with paid recordings whose segments are as large as wanted. */
function writeChannel() {
  const channel = join(folder, "channels", "northfield");
  cpSync(path("fixtures/channels/northfield"), channel, { recursive: true });
  const segment = join(channel, "media/segment");
  writeFileSync(segment, randomBytes(SEGMENT_BYTES));
  const existing = JSON.parse(readFileSync(join(channel, "events.json"), "utf8"));
  const [event] = existing;
  const events = [];
  for (let stream = 0; stream < STREAMS; stream += 1) {
    const media = { id: 9_100 + stream, type: 2, path: `hls/bench-${stream}/index.m3u8` };
    events.push({ ...event, id: 9_000 + stream, single_event_package_id: 90_000 + stream, media: [media] });
    const target = join(channel, `media/hls/bench-${stream}`);
    mkdirSync(target);
    const lines = ["#EXTM3U", "#EXT-X-VERSION:3", `#EXT-X-TARGETDURATION:${PACE_S}`];
    for (let number = 0; number < SEGMENTS * ROUNDS; number += 1) {
      linkSync(segment, join(target, `${number}.ts`));
      lines.push(`#EXTINF:${PACE_S},`, `${number}.ts`);
    }
    writeFileSync(join(target, "index.m3u8"), [...lines, "#EXT-X-ENDLIST", ""].join("\n"));
  }
  writeFileSync(join(channel, "events.json"), JSON.stringify([...existing, ...events]));
}

async function startWorker() {
  const flags = ["--listen", "127.0.0.1:0", "--data", join(folder, "data"), "--log", "warn"];
  flags.push("--channels", join(folder, "channels"), "--trusted-proxies", "127.0.0.0/8");
  const worker = spawn(binary, ["serve", ...flags], { cwd: folder });
  children.push(worker);
  worker.stderr.pipe(process.stderr);
  for await (const line of createInterface({ input: worker.stdout }))
    return { pid: worker.pid, port: Number(/:(\d+)$/.exec(line)[1]) };
  throw new Error("the worker did not start");
}

/** nginx with the shipped configuration, in front of a worker. */
async function startNginx(worker) {
  const port = await freePort();
  let server = readFileSync(path("docs/deploy/nginx-cache.conf"), "utf8");
  for (const there of [8081, 8082, 8083]) server = server.replace(`127.0.0.1:${there}`, `127.0.0.1:${worker}`);
  server = server
    .replace("127.0.0.1:8080", `127.0.0.1:${port}`)
    .replaceAll("127.0.0.1:8443", `127.0.0.1:${await freePort()}`)
    .replaceAll("/etc/touchline", path("worker/touchline/tests/worker/tls"))
    .replaceAll("/var/log/nginx", folder)
    .replaceAll("/var/cache", folder);
  const user = process.getuid() === 0 ? "user root;" : "";
  const head = `${user} worker_processes 1; pid ${folder}/nginx.pid; daemon off; events { worker_connections 4096; }`;
  writeFileSync(join(folder, "nginx.conf"), `${head}\nhttp { sendfile on;\n${server}\n}`);
  children.push(spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "inherit" }));
  for (let tries = 0; tries < 100; tries += 1) {
    const answered = await fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok, () => false);
    if (answered) return port;
    await sleep(50);
  }
  throw new Error("nginx did not start");
}

/** Sends a request and returns status, length and, of a small response, the text. */
function send(port, target, viewer, body) {
  return new Promise((answered, failed) => {
    const headers = { "x-forwarded-for": viewer.address };
    if (body) Object.assign(headers, { "content-type": "application/json", "idempotency-key": crypto.randomUUID() });
    const sent = open({ port, path: target, method: body ? "POST" : "GET", headers, agent }, (response) => {
      let length = 0;
      const chunks = [];
      response.on("data", (chunk) => {
        length += chunk.length;
        if (length < 100_000) chunks.push(chunk);
      });
      response.on("end", () => answered({ status: response.statusCode, length, text: Buffer.concat(chunks).toString() }));
      response.on("error", failed);
    });
    sent.on("error", failed).end(body && JSON.stringify(body));
  });
}

async function api(port, target, viewer, body) {
  const { status, text } = await send(port, `/api/${target}`, viewer, body);
  if (status !== 200) throw new Error(`${target}: ${status} ${text}`);
  return JSON.parse(text).data;
}

/** A viewer who owns an event, with the folder of its stream. */
async function viewerOf(port, number) {
  const viewer = { address: `10.1.${Math.floor(number / 200)}.${(number % 200) + 1}` };
  const { api_key: visitor } = await api(port, "get_api_key", viewer, { channel_key: "northfield" });
  const email = `viewer${number}@viewers.example`;
  const password = { password: "correct horse", password_confirmation: "correct horse" };
  const person = { first_name: "Vi", last_name: "Ewer", email, terms: true, ...password };
  const { api_key } = await api(port, "v2/auth/register", viewer, { api_key: visitor, ...person });
  const stream = number % STREAMS;
  const what = ["--channel", "northfield", "--email", email, "--type", "event", "--id", String(9_000 + stream)];
  const granted = spawn(binary, ["order", "grant", "--data", join(folder, "data"), ...what], { stdio: "ignore" });
  const [code] = await once(granted, "exit");
  if (code !== 0) throw new Error(`order grant: ${code}`);
  const playback = await api(port, `events/${9_000 + stream}/playback/${9_100 + stream}?api_key=${api_key}`, viewer);
  return { ...viewer, base: playback.playback_url.replace(/[^/]+$/, "") };
}

/** Processor time of a process so far, in milliseconds. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_MS;
}

/** Lets each viewer request a file every 4 s, and returns the worker's processor time in milliseconds. */
async function play(worker, port, viewers, nameOf, isComplete) {
  const before = processorMs(worker.pid);
  const watch = async (viewer, at) => {
    const startedAt = performance.now() + (at / viewers.length) * PACE_S * 1000;
    for (let number = 0; number < SEGMENTS; number += 1) {
      await sleep(Math.max(0, startedAt + number * PACE_S * 1000 - performance.now()));
      const { status, length } = await send(port, viewer.base + nameOf(number), viewer);
      if (status !== 200 || !isComplete(length)) throw new Error(`${nameOf(number)}: ${status}, ${length} bytes`);
    }
  };
  await Promise.all(viewers.map(watch));
  return processorMs(worker.pid) - before;
}

/** Inserts the figures into docs/benchmarks.md. */
function writeDown(rows) {
  const summary =
    `Medians of ${ROUNDS} rounds, in turn: ${VIEWERS} viewers of ${STREAMS} streams request ${SEGMENTS} segments of ` +
    `1 MB each, one every ${PACE_S} s; ${availableParallelism()} cores, shared with nginx and the viewers.`;
  const head = "| | worker's processor time per segment | ratio | from to |\n|---|--:|--:|--:|";
  writeFigures("video cache", [summary, "", head, ...rows]);
}

try {
  writeChannel();
  const worker = await startWorker();
  const nginx = await startNginx(worker.port);
  const viewers = [];
  while (viewers.length < VIEWERS) {
    const next = Array.from({ length: Math.min(10, VIEWERS - viewers.length) }, (_, at) => viewers.length + at);
    viewers.push(...(await Promise.all(next.map((number) => viewerOf(worker.port, number)))));
  }
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = processorMs(worker.pid);
    await sleep(SEGMENTS * PACE_S * 1000);
    const idle = processorMs(worker.pid) - before;
    const segment = (number) => `${round * SEGMENTS + number}.ts`;
    const isWhole = (length) => length === SEGMENT_BYTES;
    const direct = await play(worker, worker.port, viewers, segment, isWhole);
    const cached = await play(worker, nginx, viewers, segment, isWhole);
    const playlists = await play(worker, nginx, viewers, () => "index.m3u8", (length) => length > 100);
    rounds.push({ direct: direct - idle, cached: cached - idle, playlists: playlists - idle });
    console.log(JSON.stringify({ idle, ...rounds.at(-1) }));
  }
  const ratios = (name) => rounds.map((round) => round[name] / round.direct);
  const row = (what, name) => {
    const each = median(rounds.map((round) => round[name])) / (VIEWERS * SEGMENTS);
    const spread = ratios(name).toSorted((a, b) => a - b);
    const ratio = name === "direct" ? " | " : `${median(spread).toFixed(2)} | ${spread[0].toFixed(2)} to ${spread.at(-1).toFixed(2)}`;
    return `| ${what} | ${each.toFixed(3)} ms | ${ratio} |`;
  };
  const rows = [
    row("sent by the worker", "direct"),
    row("behind the cache: segments and questions", "cached"),
    row("a playlist of each viewer with each segment, apart", "playlists"),
  ];
  console.log(rows.join("\n"));
  writeDown(rows);
  if (median(ratios("cached")) > AIM) console.error(`the target, ${AIM}, is not reached`);
} finally {
  agent.destroy();
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(children.map((child) => (child.exitCode === null ? once(child, "exit") : undefined)));
  rmSync(folder, { recursive: true, force: true });
}
