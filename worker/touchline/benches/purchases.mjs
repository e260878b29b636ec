// Purchases per second, answered and paid: one worker on SQLite, one and three on durable PostgreSQL; each also with a
// status socket per viewer that receives each purchase.
// Usage: node worker/touchline/benches/purchases.mjs [target/release/touchline]. Prints a row for each; copy them into
// docs/benchmarks.md by hand, since the disk decides.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request as ask, Agent } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const VIEWERS = Number(process.env.BENCH_VIEWERS ?? 32);
const TEAMS = Array.from({ length: 24 }, (_, at) => 101 + at);
const binary = resolve(process.argv[2] ?? "target/release/touchline");
const cluster = fileURLToPath(new URL("../../../scripts/postgresql", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "touchline-bench-"));
const children = [];
const { WebSocket } = createRequire(new URL("../../../web/peers/package.json", import.meta.url))("ws");
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("the server did not start");
}

async function worker(name, store) {
  const flags = ["--listen", "127.0.0.1:0", "--data", join(folder, name), "--log", "warn", "--sandbox-delay-ms", "0"];
  const limits = ["--limits-calls-per-minute", "10000000", "--trusted-proxies", "127.0.0.0/8"];
  const child = spawn(binary, ["serve", ...flags, ...limits, "--clips-folder", join(folder, "clips"), ...store]);
  children.push(child);
  child.stderr.pipe(process.stderr);
  return (await firstLine(child)).replace("touchline listening on ", "");
}

function call(base, method, path, body, from) {
  return new Promise((answered, failed) => {
    const headers = { "content-type": "application/json", "x-forwarded-for": from };
    if (method === "POST") headers["idempotency-key"] = crypto.randomUUID();
    const sent = ask(`${base}/api/${path}`, { method, headers, agent }, async (response) => {
      const text = (await response.setEncoding("utf8").toArray()).join("");
      if (response.statusCode === 200) answered(JSON.parse(text).data);
      else failed(new Error(`${path}: ${response.statusCode} ${text}`));
    });
    sent.on("error", failed).end(method === "POST" ? JSON.stringify(body) : undefined);
  });
}

async function viewer(base, number) {
  const from = `10.0.${Math.floor(number / 200)}.${(number % 200) + 1}`;
  const post = (path, body) => call(base, "POST", path, body, from);
  const { api_key: visitor } = await post("get_api_key", { channel_key: "northfield" });
  const person = { first_name: "Vi", last_name: "Ewer", email: `${crypto.randomUUID()}@viewers.example`, terms: true };
  const password = { password: "correct horse", password_confirmation: "correct horse" };
  const { api_key } = await post("v2/auth/register", { api_key: visitor, ...person, ...password });
  const { client_secret } = await post("stripe/setup-intent", { api_key });
  const card = { api_key, client_secret, number: "4242424242424242", exp: "12/40", cvc: "123" };
  const { payment_method_id } = await post("stripe/sandbox-card", card);
  return { base, from, api_key, payment_method_id };
}

/** Receives statuses; returns a function for their number. */
async function listen({ base, api_key }) {
  const socket = new WebSocket(`${base.replace("http", "ws")}/sync`, { perMessageDeflate: false });
  const received = { statuses: 0, end: () => socket.terminate() };
  await once(socket, "open");
  socket.send(JSON.stringify({ t: "hello", v: 1, api_key }));
  await once(socket, "message");
  socket.on("message", (text) => {
    const { t } = JSON.parse(text);
    if (t === "ping") socket.send('{"t":"pong"}');
    if (t === "status") received.statuses += 1;
  });
  return received;
}

async function measure(name, bases, listens) {
  const viewers = [];
  for (let at = 0; at < VIEWERS; at += 4)
    viewers.push(
      ...(await Promise.all([0, 1, 2, 3].map((more) => viewer(bases[(at + more) % bases.length], at + more)))),
    );
  const sockets = listens ? await Promise.all(viewers.map(listen)) : [];
  const startedAt = performance.now();
  const bought = await Promise.all(
    viewers.map(async ({ base, from, api_key, payment_method_id }) => {
      const orders = [];
      for (const participant_id of TEAMS) {
        const body = { api_key, type: "package", id: 2, participant_id, payment_method_id };
        orders.push((await call(base, "POST", "stripe/buy", body, from)).id);
      }
      return { base, from, api_key, orders };
    }),
  );
  const answered = performance.now() - startedAt;
  for (const { base, from, api_key, orders } of bought)
    for (const id of orders)
      while ((await call(base, "GET", `orders/${id}?api_key=${api_key}`, undefined, from)).status !== "paid")
        await new Promise((later) => setTimeout(later, 20));
  const paid = performance.now() - startedAt;
  const count = VIEWERS * TEAMS.length;
  const rate = (ms) => Math.round((count * 1000) / ms);
  for (const socket of sockets) socket.end();
  const statuses = sockets.reduce((sum, socket) => sum + socket.statuses, 0);
  if (listens && statuses < 2 * count) throw new Error(`${statuses} statuses of ${count} purchases were received`);
  console.log(`| ${name}${listens ? ", with sockets" : ""} | ${count} | ${rate(answered)} | ${rate(paid)} |`);
}

async function end() {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
}

try {
  console.log("| store | purchases | answered per second | paid per second |\n|---|---|---|---|");
  for (const listens of [false, true]) {
    await measure("SQLite, one worker", [await worker(`sqlite${listens}`, [])], listens);
    await end();
  }
  for (const workers of [1, 3]) {
    const postgresql = spawn(cluster, { env: { ...process.env, DURABLE: "1" }, stdio: ["pipe", "pipe", "inherit"] });
    const store = ["--store", await firstLine(postgresql)];
    const migrated = spawn(binary, ["migrate", ...store], { stdio: "inherit" });
    const [status] = await once(migrated, "exit");
    if (status !== 0) throw new Error("the tables could not be created");
    const name = `PostgreSQL, ${workers === 1 ? "one worker" : "three workers"}`;
    for (const listens of [false, true]) {
      const folders = Array.from({ length: workers }, (_, at) => `postgresql${workers}${at}${listens}`);
      await measure(name, await Promise.all(folders.map((one) => worker(one, store))), listens);
      await end();
    }
    postgresql.stdin.end();
    await once(postgresql, "exit");
  }
} finally {
  await end();
  rmSync(folder, { recursive: true, force: true });
}
