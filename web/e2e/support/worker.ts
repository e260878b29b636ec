import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The binary under test: the release one unless `TOUCHLINE_BIN` names another. */
export const BINARY = resolve(
  process.env.TOUCHLINE_BIN ?? join(import.meta.dirname, "../../../target/release/touchline"),
);
const PATIENCE_MS = 20_000;

type Process = ChildProcessByStdio<null, Readable, Readable>;

/** A touchline of a test's own, on a port of its own, with a data folder of its own. */
export interface Worker {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly data: string;
  /** What it wrote to stderr, for a test that failed. */
  log(): string;
  /** Kills it at once (SIGKILL), as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder; `more` are flags besides those that it had. */
  restart(more?: readonly string[]): Promise<void>;
  /** Ends it and removes its folder. */
  end(): Promise<void>;
}

interface Running {
  process: Process;
  origin: string;
}

async function launch(data: string, listen: string, flags: readonly string[], log: string[]): Promise<Running> {
  const own = ["--listen", listen, "--data", data, "--analytics-allow-localhost", "true"];
  // No balancer asks this worker whether it is ready: it ends as soon as it is asked to.
  const serve = ["serve", ...own, "--drain-s", "0", ...flags];
  const child = spawn(BINARY, serve, { stdio: ["ignore", "pipe", "pipe"] });
  child.stderr.setEncoding("utf8").on("data", (text: string) => log.push(text));
  const lines = createInterface({ input: child.stdout });
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const first = await Promise.race([
    once(lines, "line").then(([line]) => ({ line: String(line) })),
    once(child, "error").then(([error]) => ({ why: String(error) })),
    once(child, "exit").then(([code]) => ({ why: `it ended with status ${code}` })),
    once(patience, "abort").then(() => ({ why: "it said nothing" })),
  ]);
  if ("why" in first) {
    child.kill("SIGKILL");
    throw new Error(`${BINARY} did not start: ${first.why}\n${log.join("")}`);
  }
  // Whatever else it prints must not fill the pipe.
  lines.on("line", () => undefined);
  const origin = /^touchline listening on (http:\/\/\S+)$/.exec(first.line)?.[1];
  if (origin === undefined) throw new Error(`the first line names no address: ${first.line}`);
  return { process: child, origin };
}

async function stop({ process: child }: Running, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** Starts a worker. `flags` are further flags of `touchline serve`. */
export async function startWorker(flags: readonly string[] = []): Promise<Worker> {
  const data = await mkdtemp(join(tmpdir(), "touchline-e2e-"));
  const log: string[] = [];
  let running = await launch(data, "127.0.0.1:0", flags, log);
  const { origin } = running;
  return {
    origin,
    data,
    log: () => log.join(""),
    kill: () => stop(running, "SIGKILL"),
    async restart(more = []) {
      running = await launch(data, new URL(origin).host, [...flags, ...more], log);
    },
    async end() {
      await stop(running, "SIGKILL");
      await rm(data, { recursive: true, force: true });
    },
  };
}
