import { applyMiddleware, legacy_createStore as createStore } from "@reduxjs/toolkit";
import createSagaMiddleware from "redux-saga";
import { callsOf, isTimer, NEW_ID } from "./calls";
import { changesBehind } from "./changesBehind";
import { type Crash, crashAt, type Divergence, divergenceAt, misplaced } from "./divergence";
import type { ActionLine, EffectLine, Line, State } from "./envelope";
import { type AnyProgram, createFold, createStateCheck, firstState, modernised, recordsCrash } from "./folding";
import { fileLine, type Log } from "./parse";
import { replayReducers } from "./replay-reducers";
import { blockerOf, isDraw } from "./replay-sagas";
import { createReplayWorld } from "./replay-world";
import { turnIsRunning } from "./turns";

/** The end of a run on a log's inputs. */
export interface Rerun {
  readonly state: State;
  /** Differences from the log that the run passed over, for the reader of a failing test. */
  readonly notes: readonly string[];
}

/** Whether a line starts a turn: an input or an answer. */
const startsTurn = (line: Line): line is ActionLine | EffectLine =>
  (line.kind === "action" || line.kind === "effect") && line.origin !== "saga";

const isOfTurn = ({ kind }: Line): boolean => kind === "action" || kind === "effect";

/** A turn of a log: the number of lines before it, and up to its end. */
export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

/** The turn of a position in a log, or the last one before it; first the page load's. */
export function turnAt(lines: readonly Line[], position: number): TurnRange {
  const loaded = lines[0]?.kind === "snapshot" ? 1 : 0;
  const from = Math.max(loaded, lines.slice(0, position).findLastIndex(startsTurn));
  const end = lines.findIndex(
    (line, index) => index >= Math.max(loaded, position) && (startsTurn(line) || !isOfTurn(line)),
  );
  return { from, to: end < 0 ? lines.length : end };
}

/** Receives the state at each line between turns. */
type Between = (line: Line, index: number, state: State) => void;

interface Run {
  readonly state: State;
  readonly crashes: readonly Crash[];
  /** Answers that nothing asked for, and calls that the log doesn't answer. */
  readonly unmatched: readonly string[];
}

/**
 * Runs the sagas on the first `count` lines of a log whose start is known. An answer is given to the call of its name,
 * dropped if nothing asked for it, and a call without an answer stays open.
 */
function run(program: AnyProgram, { header, lines }: Log, count: number, between: Between = () => undefined): Run {
  if (turnIsRunning()) throw new Error("a replay cannot run inside a live turn: use a Worker");
  // From a state that no session had, reducers may throw and sagas may never end.
  const edited = misplaced(lines, 0);
  if (edited !== undefined) throw new Error(`the log was edited: ${edited}`);
  const crashes: Crash[] = [];
  const unmatched: string[] = [];
  const start = lines[0]?.kind === "snapshot" ? lines[0] : undefined;
  const drawn = new Map(
    lines.flatMap((line) =>
      isDraw(line) && line.kind === "effect" && "ok" in line.payload ? [[line.call, line.payload.ok]] : [],
    ),
  );
  let now = header.started_at;
  const world = createReplayWorld(program.methods, start?.payload.counters ?? {}, {
    now: () => now,
    drawn(call) {
      if (!drawn.has(call)) drawn.set(call, newDraw(call, drawn.size));
      return { value: drawn.get(call) };
    },
  });

  // The line whose turn runs; line 1 is the page load.
  let number = 1;
  const threw = (error: unknown): void => void crashes.push(crashAt(number, error));
  function turn(body: () => void): void {
    try {
      body();
    } catch (error) {
      threw(error);
    }
  }

  const saga = createSagaMiddleware({ context: { world: world.world }, onError: threw });
  const store = createStore(
    program.reducer as never,
    firstState(program, start?.payload.state ?? header.snapshot) as never,
    applyMiddleware(saga),
  );
  turn(() => saga.run(program.rootSaga));

  for (const [index, line] of lines.slice(0, count).entries()) {
    if (!startsTurn(line)) {
      if (!isOfTurn(line)) between(line, index, store.getState() as State);
      continue;
    }
    now = line.at;
    number = fileLine(index);
    if (line.kind === "action") turn(() => store.dispatch({ type: line.type, payload: line.payload }));
    else if (world.open().includes(line.call)) turn(() => world.answer(line));
    else unmatched.push(`line ${number}: nothing asked for the answer to ${line.call}`);
  }
  // A timer that was cancelled left no line either.
  const recordedCalls = new Set(lines.flatMap(callsOf));
  for (const call of world.open())
    if (!recordedCalls.has(call) && !isTimer(program.methods, call)) unmatched.push(`the log has no answer to ${call}`);
  return { state: store.getState() as State, crashes, unmatched };
}

/** A value for a draw that the log lacks; ids differ from each other. */
const newDraw = (call: string, count: number): unknown =>
  call.startsWith(`${NEW_ID}:`) ? `00000000-0000-7000-8000-${String(count).padStart(12, "0")}` : 0.5;

/**
 * Runs this build's sagas on a log's inputs and answers, to the end of the turn of this line of the file. It compares
 * nothing, so that it passes a corrected fault and what follows from it. The sagas can't pass a gap: the recorded
 * actions are folded instead.
 */
export function rerun(program: AnyProgram, recorded: Log, line: number): Rerun {
  const { log } = modernised(program, recorded);
  const { to } = turnAt(log.lines, line - 1);
  const before = log.lines.slice(0, to);
  const gap = before.findIndex(({ kind }) => kind === "gap");
  const blocker = blockerOf(recorded) ?? (gap < 0 ? undefined : `line ${fileLine(gap)} is a gap`);
  if (blocker !== undefined) {
    const { state } = replayReducers(program, { header: log.header, lines: before });
    return { state, notes: [`${blocker}: the recorded actions were folded, which shows no fault of a saga`] };
  }
  const { state, crashes, unmatched } = run(program, log, to);
  return { state, notes: [...unmatched, ...crashes.map(({ line, stack }) => `line ${line}: its turn threw ${stack}`)] };
}

/**
 * The differences of a run on the log's inputs and answers from the file's line `from`: states, and turns that throw.
 * `earlier` is the program that computes the recorded states.
 */
export function differencesBehind(
  program: AnyProgram,
  recorded: Log,
  from: number,
  earlier: AnyProgram = program,
): Divergence[] {
  const { log } = modernised(program, recorded);
  const { lines } = log;
  const gap = lines.findIndex(({ kind }) => kind === "gap");
  const check = createStateCheck(program);
  const before = createFold(earlier, recorded);
  const found: Divergence[] = [];
  const { crashes } = run(program, log, gap < 0 ? lines.length : gap, (line, index, state) => {
    if (line.kind !== "checkpoint") return;
    const difference = check.checkpoint(state, line.payload.slices);
    if (!difference || fileLine(index) < from) return;
    const changes = changesBehind(difference, before.stateAt(index), state, program);
    found.push(divergenceAt(lines, index, { why: "state", ...difference, changes }));
  });
  for (const { line, message, stack } of crashes) {
    if (line < from || recordsCrash(lines[turnAt(lines, line - 1).to])) continue;
    found.push(divergenceAt(lines, line - 2, { why: "crash", expected: null, got: message, stack }));
  }
  return found.toSorted((one, other) => one.line - other.line);
}
