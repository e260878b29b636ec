import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import type { UnknownAction } from "@reduxjs/toolkit";
import { longUse } from "../replay/testing/longUse";
import { recordAll } from "../replay/testing/recordings";
import type { ActionLine } from "../src/eventlog/envelope";
import { parseLog } from "../src/eventlog/parse";
import { replayReducers } from "../src/eventlog/replay-reducers";
import { replaySagas } from "../src/eventlog/replay-sagas";
import { onAbsentMove } from "../src/machines/machine";
import { program } from "../src/sagas/program";
import { bare, bareWithSaga, devtools, type Recorder, rendered, rrweb, touchline } from "./recorders";

// Measures recording and replaying, compared with other recorders over the same actions in one run, into
// docs/benchmarks.md: npm run bench:recording. The script is bundled first, like the site, since tsx wraps each
// function in a naming call.

const ROUNDS = 9;
/** rrweb sees changes a task later: actions are dispatched in bursts of this size, as on a busy page. */
const BURST = 10;

const logs = Object.values(await recordAll()).map(parseLog);
const actions: readonly { readonly action: UnknownAction; readonly isSagas: boolean }[] = logs.flatMap(({ lines }) =>
  lines
    .filter((line): line is ActionLine => line.kind === "action")
    .map(({ type, payload, origin }) => ({ action: { type, payload }, isSagas: origin === "saga" })),
);

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
const us = (ns: number): string => (ns / 1000).toFixed(1);
const task = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Measured {
  readonly name: string;
  /** Nanoseconds per dispatch. */
  readonly times: readonly number[];
  /** Total nanoseconds per action, including a recorder's deferred work. */
  readonly total: number;
  readonly bytes: number;
}

async function measure(make: () => Recorder | Promise<Recorder>): Promise<Measured> {
  const recorder = await make();
  const times: number[] = [];
  const began = process.hrtime.bigint();
  for (const [index, { action, isSagas }] of actions.entries()) {
    const before = process.hrtime.bigint();
    recorder.dispatch(action, isSagas);
    times.push(Number(process.hrtime.bigint() - before));
    if (index % BURST === 0) await task();
  }
  await task();
  recorder.finish();
  const total = Number(process.hrtime.bigint() - began) / actions.length;
  return { name: recorder.name, times, total, bytes: (await recorder.bytes()) / actions.length };
}

const middle = (numbers: readonly number[]): number => quantile(numbers.toSorted(ascending), 0.5);
const ascending = (one: number, other: number): number => one - other;

/** The median of all rounds per action: a disturbance of the machine affects one round only. */
const typical = (rounds: readonly Measured[]): number[] =>
  actions.map((_, index) => middle(rounds.map(({ times }) => times[index] ?? 0)));

/** The fastest of all rounds in milliseconds, and its least processor time, which excludes other processes. */
async function fastest(run: () => void): Promise<{ readonly took: number; readonly worked: number }> {
  const rounds: { took: number; worked: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await task();
    const [began, before] = [performance.now(), process.cpuUsage()];
    run();
    const { user, system } = process.cpuUsage(before);
    rounds.push({ took: performance.now() - began, worked: (user + system) / 1000 });
  }
  return {
    took: Math.min(...rounds.map(({ took }) => took)),
    worked: Math.min(...rounds.map(({ worked }) => worked)),
  };
}

const aSecond = (ms: number, count = actions.length): string => Math.round(count / (ms / 1000)).toLocaleString("en");

onAbsentMove(null);
const recorders = [bare, bareWithSaga, touchline, devtools, rendered, rrweb] as const;
const rounds = new Map<(typeof recorders)[number], Measured[]>(recorders.map((make) => [make, []]));
// In turn, so that other load on the machine affects all equally.
for (let round = 0; round < ROUNDS; round++) for (const make of recorders) rounds.get(make)?.push(await measure(make));
const of = (make: (typeof recorders)[number]): readonly Measured[] => rounds.get(make) ?? [];
const beside = [
  { recorded: of(touchline), alone: of(bareWithSaga) },
  { recorded: of(devtools), alone: of(bare) },
  { recorded: of(rrweb), alone: of(rendered) },
];

const rows = beside.map(({ recorded, alone }) => {
  const [by, without] = [typical(recorded), typical(alone)];
  const added = by.map((time, index) => time - (without[index] ?? 0)).sort(ascending);
  const least = (rounds: readonly Measured[]): number => Math.min(...rounds.map(({ total }) => total));
  const cells = [
    us(quantile(added, 0.5)),
    us(quantile(added, 0.99)),
    us(least(recorded) - least(alone)),
    String(Math.round(recorded[0]?.bytes ?? 0)),
  ];
  return `| ${recorded[0]?.name} | ${cells.join(" | ")} |`;
});

const text = await longUse(10);
onAbsentMove(null);
const log = parseLog(text);
const counted = log.lines.filter(({ kind }) => kind === "action").length;
const folded = await fastest(() => {
  for (const one of logs) replayReducers(program, one);
});
const quarter = parseLog(await longUse(15));
onAbsentMove(null);
const quarterCounted = quarter.lines.filter(({ kind }) => kind === "action").length;
const quarterFolded = await fastest(() => {
  if (!replayReducers(program, quarter).same) throw new Error("the fifteen-minute session does not replay");
});
const replayed = await fastest(() => {
  if (!replaySagas(program, log).same) throw new Error("the ten-minute session does not replay");
});
const [began, ended] = ["<!-- measured: recording -->", "<!-- end: recording -->"];
const figures = `${began}

${actions.length.toLocaleString("en")} actions of the recorded logs, ${ROUNDS} rounds of each in turn, Node ${process.versions.node}; the machine's load was ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores.

| recorder | added to a dispatch, median µs | p99 µs | added to an action in all, µs | bytes an action |
|---|--:|--:|--:|--:|
${rows.join("\n")}

| replay | took | processor time |
|---|--:|--:|
| reducer replay of a session of a quarter of an hour, ${quarterCounted} actions, actions a second | ${aSecond(quarterFolded.took, quarterCounted)} | ${aSecond(quarterFolded.worked, quarterCounted)} |
| reducer replay of the recorded logs, a checkpoint each second action, actions a second | ${aSecond(folded.took)} | ${aSecond(folded.worked)} |
| saga replay of a session of ten minutes (${counted} actions, ${log.lines.length} lines) | ${replayed.took.toFixed(0)} ms | ${replayed.worked.toFixed(0)} ms |

That session's log is ${Math.round(gzipSync(text).length / 1024)} KB gzipped, with its blobs.

${ended}`;
console.log(figures);
const document = "../docs/benchmarks.md";
const before = readFileSync(document, "utf8");
const [from, until] = [before.indexOf(began), before.indexOf(ended)];
if (from < 0 || until < 0) throw new Error("docs/benchmarks.md has no section for the figures");
writeFileSync(document, before.slice(0, from) + figures + before.slice(until + ended.length));
process.exit(0);
