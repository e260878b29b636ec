import { parentPort, workerData } from "node:worker_threads";
import { type Log, parseLog } from "../../../src/eventlog/parse";
import { replayReducers } from "../../../src/eventlog/replay-reducers";
import { replaySagas } from "../../../src/eventlog/replay-sagas";
import { program } from "../../../src/sagas/program";
import { type AnyTable, tables } from "./tables";

/** A mutant thread's initial data. */
export interface ThreadData {
  /** The recorded logs, by name. */
  readonly logs: Readonly<Record<string, string>>;
}

/** One trial: the logs to replay, and a cell to change first. */
export interface Trial {
  readonly id: number;
  readonly logs: readonly string[];
  readonly cell?: {
    readonly machine: string;
    readonly state: string;
    readonly fact: string;
    readonly to: "ignore" | "elsewhere";
  };
}

/**
 * `caughtBy` names the first log that diverged; null without one. `reached`: the cells and statements that the logs
 * reached.
 */
export interface Tried {
  readonly id: number;
  readonly caughtBy: string | null;
  readonly reached: readonly string[];
}

// Instrumented statements report here.
const reached = new Set<string>();
Object.assign(globalThis, { cameBy: (place: string) => void reached.add(place) });

const parsed = new Map<string, Log>();

function logOf(name: string): Log {
  const log = parsed.get(name) ?? parseLog((workerData as ThreadData).logs[name] ?? "");
  parsed.set(name, log);
  return log;
}

function diverges(name: string): boolean {
  const log = logOf(name);
  try {
    return !replaySagas(program, log).same || !replayReducers(program, log).same;
  } catch {
    return true;
  }
}

/** A wrong state for the machine: its first one, or another if it is in that one. */
function elsewhere(machine: AnyTable | undefined, state: object): object {
  const { at } = state as { at: string };
  if (!machine || machine.initial.at !== at) return machine?.initial ?? state;
  return { ...state, at: Object.keys(machine.table).find((other) => other !== at) };
}

/** Changes a cell while `run` runs. */
function withCell<T>(cell: Trial["cell"], run: () => T): T {
  if (!cell) return run();
  const machine = tables.find(({ name }) => name === cell.machine);
  const row = machine?.table[cell.state] as Record<string, unknown>;
  const before = row[cell.fact];
  row[cell.fact] = cell.to === "ignore" ? "ignore" : { to: [], move: (state: object) => elsewhere(machine, state) };
  try {
    return run();
  } finally {
    row[cell.fact] = before;
  }
}

parentPort?.on("message", ({ id, logs, cell }: Trial) => {
  reached.clear();
  const caughtBy = withCell(cell, () => logs.find(diverges) ?? null);
  parentPort?.postMessage({ id, caughtBy, reached: [...reached] } satisfies Tried);
});
