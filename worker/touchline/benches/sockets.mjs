// Compares ten thousand status sockets with a bare server on `ws`, by one loader in one run: memory per idle socket,
// latency of a status to one viewer and to all, and the time until all are back after a restart.
// Usage: node worker/touchline/benches/sockets.mjs [target/release/touchline]. BENCH_SOCKETS sets their number. `ws`
// sends the statuses that the worker sent before it. Prints a row for each server; copy them into docs/benchmarks.md by
// hand.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort, median } from "./support.mjs";

const SOCKETS = Number(process.env.BENCH_SOCKETS ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10);
// The worker's limit of sockets per address that wait for their welcome.
const AT_ONCE = 32;
const require = createRequire(new URL("../../../web/peers/package.json", import.meta.url));
const { WebSocket } = require("ws");
const binary = resolve(process.argv[2] ?? "target/release/touchline");
const folder = mkdtempSync(join(tmpdir(), "touchline-bench-"));
const children = new Set();
const now = () => performance.now();
const pause = (ms) => new Promise((later) => setTimeout(later, ms));

async function start(command, line, env = {}) {
  const child = spawn(command, line, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  children.add(child);
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  lines.on("line", () => undefined);
  return child;
}

async function kill(child) {
  children.delete(child);
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Memory in bytes, the minimum over a second and a half. */
async function atRest(child) {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 15; tries++) {
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]);
    least = Math.min(least, kib * 1024);
    await pause(100);
  }
  return least;
}

/** A process's processor time in seconds. */
function cpu(child) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function json(url, body, headers = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()).data;
}

/** The worker's last status in each stream. */
const lastStatus = {};

/** The servers: each starts, issues a key to a viewer, and sends a status to one of them or to all. */
const servers = {
  async touchline(port) {
    const data = join(folder, "data");
    const limits = {
      SOCKETS_PER_ADDRESS: SOCKETS * 2,
      SOCKETS_PER_KEY: SOCKETS,
      CONNECTIONS_PER_ADDRESS: SOCKETS * 3,
      CALLS_PER_MINUTE: 10_000_000,
    };
    const env = Object.fromEntries(
      Object.entries(limits).map(([name, most]) => [`TOUCHLINE_LIMITS_${name}`, String(most)]),
    );
    const base = `http://127.0.0.1:${port}`;
    const begin = () => start(binary, ["serve", "--listen", `127.0.0.1:${port}`, "--data", data, "--log", "warn"], env);
    let score = 0;
    return {
      begin,
      async key() {
        return (await json(`${base}/api/get_api_key`, { channel_key: "northfield" })).api_key;
      },
      /** A viewer with their own stream: `push` causes a status of theirs alone. */
      async person() {
        const { api_key: visitor } = await json(`${base}/api/get_api_key`, { channel_key: "northfield" });
        const login = { api_key: visitor, email: "demo@northfield.example", password: "touchline" };
        const { api_key } = await json(`${base}/api/v2/auth/login`, login);
        const wanted = {
          api_key,
          event_id: 25,
          event_media_id: 253,
          name: "A goal",
          start_time: 6,
          duration: 8,
          tags: ["goal"],
        };
        return {
          key: api_key,
          push: () => json(`${base}/api/clip`, wanted, { "idempotency-key": crypto.randomUUID() }),
        };
      },
      async pushAll() {
        const address = readFileSync(join(data, "admin.addr"), "utf8").trim();
        const authorization = `Bearer ${readFileSync(join(data, "admin.token"), "utf8").trim()}`;
        const update = { channel_key: "northfield", id: 1, score: { away: ++score, home: 0, period: "1" } };
        await json(`http://${address}/admin/events/score`, update, { authorization, "x-operator": "bench" });
      },
    };
  },
  async ws(port) {
    const base = `http://127.0.0.1:${port}`;
    // The worker's statuses, so that both send the same bytes.
    const push = (key, stream) => json(`${base}/tell`, { key, status: lastStatus[stream] });
    let keys = 0;
    return {
      begin: () => start(process.execPath, [fileURLToPath(new URL("sockets-ws.mjs", import.meta.url)), String(port)]),
      key: async () => `visitor${++keys}`,
      person: async () => ({ key: "person", push: () => push("person", "user") }),
      pushAll: () => push(null, "channel"),
    };
  },
};

/** Opens a viewer's socket, which receives once it is welcomed. */
function connect(port, key, resume, onStatus) {
  return new Promise((welcomed, failed) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/sync`, { perMessageDeflate: false });
    let welcome;
    socket.on("open", () => socket.send(JSON.stringify({ t: "hello", v: 1, api_key: key, ...(resume && { resume }) })));
    socket.on("message", (text) => {
      const frame = JSON.parse(text);
      if (frame.t === "welcome") {
        welcome = frame;
        welcomed({
          socket,
          resume: {
            epoch: frame.epoch,
            channel_seq: frame.channel_seq,
            ...(frame.user_seq !== undefined && { user_seq: frame.user_seq }),
          },
          mode: frame.mode,
        });
      } else if (frame.t === "ping") socket.send('{"t":"pong"}');
      else if (frame.t === "status") onStatus(frame);
    });
    socket.on("error", failed);
    socket.on("close", () => welcome ?? failed(new Error("closed before it was welcomed")));
  });
}

/** Connects all viewers, a limited number at once; a failed one retries, as a browser does. */
async function connectAll(port, viewers, onStatus) {
  let next = 0;
  const one = async () => {
    while (next < viewers.length) {
      const at = next++;
      for (;;) {
        try {
          viewers[at] = { ...viewers[at], ...(await connect(port, viewers[at].key, viewers[at].resume, onStatus)) };
          break;
        } catch {
          await pause(50);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function measure(name) {
  // Chosen in advance: a restarted server needs its earlier one.
  const port = await freePort();
  const server = await servers[name](port);
  let child = await server.begin();
  let waiting = { left: 0 };
  const onStatus = (frame) => {
    lastStatus[frame.stream] = frame;
    if (waiting.wants?.(frame) && --waiting.left === 0) waiting.done();
  };
  const hears = (left, wants) =>
    new Promise((done) => {
      waiting = { left, wants, done };
    });

  const key = await server.key();
  const other = await server.key();
  const first = Array.from({ length: Math.min(500, SOCKETS) }, () => ({ key: other }));
  await connectAll(port, first, () => undefined);
  const before = await atRest(child);
  const viewers = Array.from({ length: SOCKETS }, () => ({ key }));
  await connectAll(port, viewers, onStatus);
  await pause(1_000);
  const each = Math.round(((await atRest(child)) - before) / SOCKETS);
  for (const { socket } of first) socket.terminate();

  const all = [];
  for (let round = 0; round < ROUNDS; round++) {
    const everyone = hears(SOCKETS, ({ kind, stream }) => stream === "channel" && kind === "event");
    const startedAt = now();
    await server.pushAll();
    await everyone;
    all.push(now() - startedAt);
    await pause(200);
  }
  const person = await server.person();
  await connect(port, person.key, undefined, onStatus);
  const alone = [];
  for (let round = 0; round < ROUNDS; round++) {
    const theirs = hears(1, ({ stream }) => stream === "user");
    const startedAt = now();
    const pushing = person.push();
    await theirs;
    alone.push(now() - startedAt);
    await pushing;
    await pause(500);
  }

  await kill(child);
  for (const viewer of viewers) viewer.socket.terminate();
  const startedAt = now();
  child = await server.begin();
  const up = now() - startedAt;
  await connectAll(port, viewers, onStatus);
  const back = now() - startedAt;
  const resumed = viewers.filter(({ mode }) => mode === "resumed").length;
  const load = cpu(child);
  for (const viewer of viewers) viewer.socket.terminate();
  await kill(child);
  const ms = (time) => time.toFixed(1);
  console.log(
    `| ${name} | ${each} | ${ms(median(alone))} | ${ms(median(all))} (${ms(Math.min(...all))} to ${ms(Math.max(...all))}) | ${(back / 1000).toFixed(1)} s, of which start-up ${(up / 1000).toFixed(1)} s | ${resumed} | ${load.toFixed(1)} s |`,
  );
}

try {
  console.log(`${SOCKETS} sockets, ${ROUNDS} rounds`);
  console.log(
    "| server | bytes per socket | one status to one, ms | to all, ms | all back after a kill | resumed | processor time |\n|---|--:|--:|--:|--:|--:|--:|",
  );
  for (const name of (process.env.BENCH_SERVERS ?? "touchline,ws").split(",")) await measure(name);
} finally {
  for (const child of children) await kill(child);
  rmSync(folder, { recursive: true, force: true });
}
