// Compares video with nginx: the same segments and files, sent by the worker and by nginx with sendfile, in bytes per
// second of the server's processor time.
// Usage: node worker/touchline/benches/media-files.mjs [target/release/touchline]. Needs nginx; writes into
// docs/benchmarks.md. Rounds are interleaved, so that other load on the machine affects both.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort, median, writeFigures } from "./support.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 8;
const MIB = 1 << 20;
/** The worker's memory for media, smaller than all segments together. */
const MEMORY = 64 * MIB;
const SEGMENTS = 200;
/** Segments that fit into it. */
const HOT = 20;

const path = (relative) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const binary = resolve(process.argv[2] ?? "target/release/touchline");
const folder = mkdtempSync(join(tmpdir(), "touchline-bench-"));
// nginx drops root privileges, but has to read the folder.
chmodSync(folder, 0o755);
const children = [];

/** The demo channel with a free and a paid recording of segments of 1 MiB. */
function writeChannel() {
  const channel = join(folder, "channels", "northfield");
  cpSync(path("fixtures/channels/northfield"), channel, { recursive: true });
  const existing = JSON.parse(readFileSync(join(channel, "events.json"), "utf8"));
  const [event] = existing;
  const events = ["free", "paid"].map((name, at) => {
    const target = join(channel, "media/hls", name);
    mkdirSync(target);
    const segment = Buffer.alloc(MIB, "touchline");
    const lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:4"];
    for (let number = 0; number < SEGMENTS; number += 1) {
      writeFileSync(join(target, `${number}.ts`), segment);
      lines.push("#EXTINF:4,", `${number}.ts`);
    }
    writeFileSync(join(target, "index.m3u8"), [...lines, "#EXT-X-ENDLIST", ""].join("\n"));
    const media = [{ id: 9_100 + at, type: 2, path: `hls/${name}/index.m3u8` }];
    const isFree = name === "free";
    const price = isFree ? { access_type: "free", type: "other", base_price: 0, service_fee: 0 } : {};
    const { single_event_package_id: _, ...rest } = event;
    return { ...rest, ...price, id: 9_000 + at, ...(isFree ? {} : { single_event_package_id: 90_001 }), media };
  });
  writeFileSync(join(channel, "events.json"), JSON.stringify([...existing, ...events]));
  return join(channel, "media/hls/free");
}

/** The worker as shipped, without the per-address rate limits. */
async function startWorker() {
  const flags = ["--listen", "127.0.0.1:0", "--data", join(folder, "data"), "--log", "warn"];
  flags.push("--channels", join(folder, "channels"));
  const limits = ["--limits-media-per-minute", "10000000", "--media-memory-bytes", String(MEMORY)];
  const worker = spawn(binary, ["serve", ...flags, ...limits], { cwd: folder });
  children.push(worker);
  worker.stderr.pipe(process.stderr);
  for await (const line of createInterface({ input: worker.stdout }))
    return { url: line.replace("touchline listening on ", ""), pids: () => [worker.pid] };
  throw new Error("the worker did not start");
}

async function startNginx(root) {
  const port = await freePort();
  const config = `
    worker_processes auto;
    pid ${folder}/nginx.pid;
    error_log stderr warn;
    daemon off;
    events { worker_connections 1024; }
    http {
      access_log off;
      sendfile on;
      tcp_nopush on;
      keepalive_requests 1000000;
      server { listen 127.0.0.1:${port}; root ${root}; }
    }`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const nginx = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "inherit" });
  children.push(nginx);
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries += 1) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    const workers = spawnSync("pgrep", ["-P", String(nginx.pid)], { encoding: "utf8" })
      .stdout.trim()
      .split("\n");
    if (answered) return { url, pids: () => [nginx.pid, ...workers.map(Number)] };
    await new Promise((waited) => setTimeout(waited, 50));
  }
  throw new Error("nginx did not start");
}

/** Processor seconds of processes so far. */
function processorSeconds(pids) {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

/** Requests paths over one connection until `end`. Returns the number of bytes. */
function read(url, paths, end) {
  const { hostname, port } = new URL(url);
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname);
    let [bytes, left, head, next] = [0, 0, Buffer.alloc(0), Math.floor(Math.random() * paths.length)];
    const request = () => {
      head = Buffer.alloc(0);
      socket.write(`GET ${paths[next++ % paths.length]} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    };
    socket.on("connect", request);
    socket.on("error", failed);
    socket.on("close", () => done(bytes));
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      if (left === 0) {
        head = Buffer.concat([head, chunk]);
        const at = head.indexOf("\r\n\r\n");
        if (at < 0) return;
        const text = head.subarray(0, at).toString();
        if (!text.startsWith("HTTP/1.1 200")) return failed(new Error(text));
        left = Number(/content-length: (\d+)/i.exec(text)[1]) - (head.length - at - 4);
      } else {
        left -= chunk.length;
      }
      if (left > 0) return;
      if (Date.now() < end) request();
      else socket.end();
    });
  });
}

/** MB per processor second of one round. */
async function load(server, paths) {
  const before = processorSeconds(server.pids());
  const end = Date.now() + SECONDS * 1000;
  const all = await Promise.all(Array.from({ length: CONNECTIONS }, () => read(server.url, paths, end)));
  const bytes = all.reduce((sum, each) => sum + each, 0);
  return bytes / 1e6 / (processorSeconds(server.pids()) - before);
}

async function api(target, body) {
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const request = body ? { method: "POST", headers, body: JSON.stringify(body) } : {};
  const answer = await fetch(`${worker.url}/api/${target}`, request);
  if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).data;
}

/** The path of a recording's folder, for a viewer with this key. */
async function folderOf(event, api_key) {
  const { playback_url } = await api(`events/${9_000 + event}/playback/${9_100 + event}?api_key=${api_key}`);
  return new URL(playback_url, worker.url).pathname.replace(/[^/]+$/, "");
}

/** The folders of the free and the paid recording, the latter signed for its buyer. */
async function folders() {
  const { api_key: visitor } = await api("get_api_key", { channel_key: "northfield" });
  const email = "viewer@viewers.example";
  const password = { password: "correct horse", password_confirmation: "correct horse" };
  const person = { first_name: "Vi", last_name: "Ewer", email, terms: true, ...password };
  const { api_key } = await api("v2/auth/register", { api_key: visitor, ...person });
  const what = ["--channel", "northfield", "--email", email, "--type", "event", "--id", "9001"];
  const granted = spawnSync(binary, ["order", "grant", "--data", join(folder, "data"), ...what], { encoding: "utf8" });
  if (granted.status !== 0) throw new Error(`order grant: ${granted.stderr}`);
  return [await folderOf(0, api_key), await folderOf(1, api_key)];
}

let worker;
try {
  const files = writeChannel();
  worker = await startWorker();
  const nginx = await startNginx(files);
  const [open, signed] = await folders();
  const names = Array.from({ length: SEGMENTS }, (_, number) => `${number}.ts`);
  const hot = names.slice(0, HOT);
  const under = (base, all) => all.map((name) => base + name);
  const cases = [
    { name: "open, in memory", aim: 1, paths: under(open, hot), peer: under("/", hot) },
    { name: "signed, in memory", aim: 1, paths: under(signed, hot), peer: under("/", hot) },
    { name: "open, from the files", aim: 0.8, paths: under(open, names), peer: under("/", names) },
    { name: "signed, from the files", aim: 0.8, paths: under(signed, names), peer: under("/", names) },
  ];
  for (const one of cases) one.rounds = [];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { rounds, paths, peer } of cases) {
      const [ours, theirs] = [await load(worker, paths), await load(nginx, peer)];
      rounds.push({ ours, theirs, ratio: ours / theirs });
    }
  const rows = cases.map(({ name, aim, rounds }) => {
    const of = (key) => rounds.map((round) => round[key]).toSorted((a, b) => a - b);
    const [ratios, ours, theirs] = [of("ratio"), median(of("ours")), median(of("theirs"))];
    const spread = `${ratios[0].toFixed(2)} to ${ratios.at(-1).toFixed(2)}`;
    return `| ${name} | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${median(ratios).toFixed(2)} | ${spread} | ${aim} |`;
  });
  console.log(rows.join("\n"));
  const summary =
    `Medians of ${ROUNDS} rounds of ${SECONDS} s, in turn: ${CONNECTIONS} connections request segments of 1 MiB over ` +
    `HTTP/1.1, of ${HOT} or ${SEGMENTS}; ${MEMORY / MIB} MiB for media; ${availableParallelism()} cores, shared.`;
  const head = "| | worker, MB per processor second | nginx | ratio | from to | target |\n|---|--:|--:|--:|--:|--:|";
  writeFigures("media files", [summary, "", head, ...rows]);
} finally {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(children.map((child) => (child.exitCode === null ? once(child, "exit") : undefined)));
  rmSync(folder, { recursive: true, force: true });
}
