import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Shared } from "./shared";
import { startPlain } from "./upstream";

/** The binary under test: the release one unless `TOUCHLINE_BIN` names another. */
export const BINARY = resolve(
  process.env.TOUCHLINE_BIN ?? join(import.meta.dirname, "../../../target/release/touchline"),
);
const START_TIMEOUT_MS = 20_000;

type Process = ChildProcessByStdio<null, Readable, Readable>;

/** A test's own Touchline worker, with its own port and data folder. */
export interface Worker {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly data: string;
  /** Its stderr output, for a failed test. */
  log(): string;
  /** Kills it at once (SIGKILL), as a crash would. */
  kill(): Promise<void>;
  wasKilled(): boolean;
  /** Starts it again on the same port and folder; `more` are flags besides the earlier ones. */
  restart(more?: readonly string[]): Promise<void>;
  /** Ends it and removes its folder. */
  end(): Promise<void>;
}

interface Running {
  process: Process;
  origin: string;
}

async function launch(
  data: string,
  listen: string,
  flags: readonly string[],
  log: string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const analytics = flags.includes("--analytics-allow-localhost") ? [] : ["--analytics-allow-localhost", "true"];
  const baseFlags = ["--listen", listen, "--data", data, ...analytics];
  // Without a load balancer it needs no drain time.
  const serve = ["serve", ...baseFlags, "--drain-s", "0", ...flags];
  const child = spawn(BINARY, serve, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  child.stderr.setEncoding("utf8").on("data", (text: string) => log.push(text));
  const lines = createInterface({ input: child.stdout });
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  const first = await Promise.race([
    once(lines, "line").then(([line]) => ({ line: String(line) })),
    once(child, "error").then(([error]) => ({ why: String(error) })),
    once(child, "exit").then(([code]) => ({ why: `it ended with status ${code}` })),
    once(timeout, "abort").then(() => ({ why: "it printed nothing" })),
  ]);
  if ("why" in first) {
    child.kill("SIGKILL");
    throw new Error(`${BINARY} did not start: ${first.why}\n${log.join("")}`);
  }
  // Further output must not fill the pipe.
  lines.on("line", () => undefined);
  const origin = /^touchline listening on (http:\/\/\S+)$/.exec(first.line)?.[1];
  if (origin === undefined) throw new Error(`the first line has no address: ${first.line}`);
  return { process: child, origin };
}

async function stop({ process: child }: Running, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** The API behind a run's workers: none, another worker, or a plain channel API. */
export type UpstreamKind = "nothing" | "worker" | "plain";
const UPSTREAM_KIND: UpstreamKind =
  process.env.UPSTREAM === "worker" || process.env.UPSTREAM === "plain" ? process.env.UPSTREAM : "nothing";

async function startUpstream(behind: UpstreamKind, data: string, flags: readonly string[], log: string[]) {
  if (behind === "nothing") return null;
  if (behind === "plain") return startPlain(join(data, "plain.json"));
  const back = await launch(join(data, "back"), "127.0.0.1:0", flags, log);
  return { origin: back.origin, end: () => stop(back, "SIGKILL") };
}

/** Waits until a worker knows its upstream's features: until then it offers the common ones only. */
async function untilFeaturesLoaded(log: string[]): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (log.join("").includes("detected the upstream's features")) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the worker never learned what its upstream has\n${log.join("")}`);
}

/**
 * Starts a worker. `flags` are further flags of `touchline serve`; `UPSTREAM` or `behind` puts it in front of an API;
 * `shared` makes it store records, media and lake in services that others can share.
 */
export async function startWorker(
  flags: readonly string[] = [],
  behind: UpstreamKind = UPSTREAM_KIND,
  shared: Shared | null = null,
): Promise<Worker> {
  const data = await mkdtemp(join(tmpdir(), "touchline-e2e-"));
  const log: string[] = [];
  const upstream = await startUpstream(behind, data, flags, log);
  const allFlags = [...flags, ...(shared?.flags ?? [])];
  const front = upstream === null ? allFlags : [...allFlags, "--origin", upstream.origin];
  let isKilled = false;
  let running = await launch(data, "127.0.0.1:0", front, log, shared?.env);
  const { origin } = running;
  if (upstream !== null) await untilFeaturesLoaded(log);
  return {
    origin,
    data,
    log: () => log.join(""),
    kill() {
      isKilled = true;
      return stop(running, "SIGKILL");
    },
    wasKilled: () => isKilled,
    async restart(more = []) {
      running = await launch(data, new URL(origin).host, [...front, ...more], log, shared?.env);
    },
    async end() {
      await stop(running, "SIGKILL");
      await upstream?.end();
      await rm(data, { recursive: true, force: true });
    },
  };
}
