import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import type { End, RunnerMessage } from "./mutants/run";

// Changes every cell of every machine's table, one at a time, and checks whether an invariant or a saga's test notices.
// The tables' own walk is left out.
// Prints the figure and the survivors; status 1 when fewer than MUTANTS_MIN % (95) fail.

const PROCESSES = 2;
/** A mutant that keeps a process busy this long is caught: the site would hang. */
const HANG_MS = 120_000;

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const atLeast = Number(process.env.MUTANTS_MIN ?? 95);

async function bundle(into: string): Promise<string> {
  await build({
    root: web,
    configFile: false,
    logLevel: "error",
    resolve: { alias: { vitest: join(web, "scripts/mutants/suite.ts") } },
    build: {
      ssr: join(web, "scripts/mutants/run.ts"),
      outDir: into,
      emptyOutDir: true,
      minify: false,
      rollupOptions: { output: { entryFileNames: "run.mjs" } },
    },
  });
  return join(into, "run.mjs");
}

interface Found {
  readonly mutant: string;
  readonly end: End;
}

const found = new Map<number, Found>();
let total = Number.POSITIVE_INFINITY;

/** Runs every PROCESSES-th mutant from `first` on, restarting the process as needed. */
async function runShard(program: string, first: number): Promise<void> {
  for (let next = first; next < total; ) {
    let under: { index: number; mutant: string } | null = null;
    const before = next;
    const child: ChildProcess = spawn(
      process.execPath,
      ["--stack-size=2000", program, String(next), String(PROCESSES)],
      {
        cwd: web,
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, WALKS: process.env.WALKS ?? "30" },
      },
    );
    let alarm = setTimeout(() => child.kill("SIGKILL"), 2 * HANG_MS);
    const ended = once(child, "exit").then(([code, signal]) => `status ${code}, signal ${signal}`);
    if (child.stdout === null) throw new Error("the runner has no output");
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{"t":')) continue;
      const message = JSON.parse(line) as RunnerMessage;
      if (message.t === "count") total = message.mutants;
      if (message.t === "began") under = message;
      if (message.t === "ended") {
        found.set(message.index, message);
        under = null;
        next = message.index + PROCESSES;
      }
      clearTimeout(alarm);
      alarm = setTimeout(() => child.kill("SIGKILL"), HANG_MS);
    }
    clearTimeout(alarm);
    if (under !== null) {
      found.set(under.index, { mutant: under.mutant, end: { by: "a hung or crashed process" } });
      next = under.index + PROCESSES;
    } else if (next === before && next < total)
      throw new Error(`the runner ended before its first mutant: ${await ended}`);
  }
}

const folder = await mkdtemp(join(web, "node_modules/.mutants-"));
try {
  const program = await bundle(folder);
  await Promise.all(Array.from({ length: PROCESSES }, (_, shard) => runShard(program, shard)));
} finally {
  await rm(folder, { recursive: true, force: true });
}

const all = [...found.values()];
const alive = all.filter(({ end }) => end.by === null);
const bySagaTests = all.filter(({ end, mutant }) => end.by?.startsWith(`sagas/${mutant.split(":")[0]}.test.ts`)).length;
const share = ((all.length - alive.length) / all.length) * 100;
for (const { mutant, end } of alive)
  process.stdout.write(`survived  ${mutant}${end.by === null && !end.reached ? " (no test reaches it)" : ""}\n`);
process.stdout.write(
  `${all.length - alive.length} of ${all.length} changed cells caught (${share.toFixed(1)} %), ${bySagaTests} by the machine's own saga tests\n`,
);
process.exitCode = share < atLeast ? 1 : 0;
