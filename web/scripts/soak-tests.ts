// Runs the worker's tests and all journeys beside busy loops, again and again, and adds each run to
// docs/soak-tests.tsv. `--runs N` sets the number of runs, otherwise Ctrl-C ends it; `--memory 4G` limits the tests'
// memory by a cgroup (as root).
import { type ChildProcess, execFileSync, type StdioOptions, spawn } from "node:child_process";
import {
  appendFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  type WriteStream,
  writeFileSync,
} from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { failuresOf } from "./soakFailures";

const ROOT = join(import.meta.dirname, "../..");
const TABLE = join(ROOT, "docs/soak-tests.tsv");
const LOGS = join(ROOT, ".cache/soak-tests");
const BUSY_LOOPS = 4;
/** A failed target doesn't stop the later ones. */
const TARGETS = ["test-worker", "journeys"];

const { values } = parseArgs({ options: { runs: { type: "string" }, memory: { type: "string" } } });
const runs = values.runs ? Number(values.runs) : Number.POSITIVE_INFINITY;
const memory = values.memory || null;

/** A cgroup of the memory controller, version 1 or 2, with that limit. Child processes inherit it. */
function openCgroup(limit: string): string {
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  const cgroupOf = (pattern: RegExp) => lines.map((line) => pattern.exec(line)?.[1]).find((path) => path !== undefined);
  const first = "/sys/fs/cgroup/memory";
  const isFirst = existsSync(first);
  const parent = isFirst ? join(first, cgroupOf(/^\d+:memory:(.*)$/) ?? "") : "/sys/fs/cgroup";
  const folder = join(parent, `touchline-soak-${process.pid}`);
  if (!isFirst) writeFileSync(join(parent, "cgroup.subtree_control"), "+memory");
  mkdirSync(folder);
  writeFileSync(join(folder, isFirst ? "memory.limit_in_bytes" : "memory.max"), limit);
  return folder;
}

const git = (...args: string[]): string => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
const isChanged = () => git("status", "--porcelain", "--", ".", ":!docs/soak-tests.tsv") !== "";
const commit = () => git("rev-parse", "--short=10", "HEAD") + (isChanged() ? " and changes" : "");

const cgroup = memory === null ? null : openCgroup(memory);
const children = new Set<ChildProcess>();
let isStopped = false;

/** Starts a process in a group of its own, so that its children end with it. */
function start(command: string, args: string[], stdio: StdioOptions): ChildProcess {
  const child = spawn(command, args, { cwd: ROOT, detached: true, stdio });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

function end({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

function make(target: string, log: WriteStream): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const enter = cgroup === null ? "" : `echo $$ > ${cgroup}/cgroup.procs; `;
    const child = start("sh", ["-c", `${enter}exec make --no-print-directory ${target}`], ["ignore", "pipe", "pipe"]);
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output.push(text);
        log.write(text);
      });
    child.on("error", reject);
    child.on("close", (code) => resolve(code === 0 ? [] : failuresOf(output.join(""), target)));
  });
}

async function run(): Promise<void> {
  const at = new Date();
  mkdirSync(LOGS, { recursive: true });
  const path = join(LOGS, `${at.toISOString().replaceAll(":", "-")}.log`);
  const log = createWriteStream(path);
  const loops = Array.from({ length: BUSY_LOOPS }, () => start("sh", ["-c", "while :; do :; done"], "ignore"));
  const failures: string[] = [];
  for (const target of TARGETS) if (!isStopped) failures.push(...(await make(target, log)));
  for (const loop of loops) end(loop);
  log.end();
  if (isStopped) return;
  const { model = "" } = cpus()[0] ?? {};
  const row = [
    commit(),
    at.toISOString().slice(0, 16),
    `${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${BUSY_LOOPS} busy loops, load ${loadavg()[1]?.toFixed(1)}`,
    memory ?? "none",
    `${Math.round((Date.now() - at.getTime()) / 60_000)} min`,
    failures.join("; ") || "none",
  ];
  if (!existsSync(TABLE)) writeFileSync(TABLE, "commit\tdate (UTC)\tmachine\tload\tmemory limit\tduration\tfailures\n");
  appendFileSync(TABLE, `${row.join("\t")}\n`);
  console.log(`${row.join(" | ")}\n  ${path}`);
}

for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    isStopped = true;
    for (const child of children) end(child);
  });
process.on("exit", () => {
  for (const child of children) end(child, "SIGKILL");
});

for (let done = 0; done < runs && !isStopped; done++) await run();
if (cgroup !== null) rmdirSync(cgroup);
