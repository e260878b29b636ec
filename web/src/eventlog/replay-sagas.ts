import { applyMiddleware, legacy_createStore as createStore, type Middleware } from "@reduxjs/toolkit";
import createSagaMiddleware from "redux-saga";
import { PortError } from "../ports/error";
import { baseOf, callsOf, countersOf, DRAW, isTimer, NEW_ID } from "./calls";
import { changesBehind } from "./changesBehind";
import {
  type Crash,
  crashAt,
  type Divergence,
  type DivergenceDetails,
  divergenceAt,
  misplaced,
  type Reason,
} from "./divergence";
import type { ActionLine, EffectLine, Line, State } from "./envelope";
import {
  type AnyProgram,
  createFold,
  createStateCheck,
  firstState,
  fold,
  modernised,
  recordsCrash,
  type StateDifference,
} from "./folding";
import { stateHash } from "./hash";
import { addedFields, hasField } from "./newFields";
import { fileLine, type Log } from "./parse";
import { pathChanges, sliceOfPath } from "./pathChanges";
import { canonical } from "./plain";
import { putAt } from "./puts";
import type { Replayed } from "./replay-reducers";
import { createReplayWorld } from "./replay-world";
import { turnIsRunning } from "./turns";

export interface SagasReplayed extends Replayed {
  /** The line before a gap at which it stopped. */
  readonly upTo?: number;
  /** The number of the log's last line, if the sagas do more in its turn than the log records. */
  readonly endsInTurn?: number;
}

export interface SagaReplayOptions {
  /** Receives each saga's action and the index of its line. */
  readonly onAction?: (index: number, action: object) => void;
  /** The program that computes the recorded states; absent: this one. */
  readonly earlier?: AnyProgram | undefined;
}

/** The reason why the real sagas can't continue this log; undefined if they can. */
export function blockerOf({ lines }: Log): string | undefined {
  const first = lines[0];
  if (!first || first.seq === 1) return undefined;
  const why =
    first.kind === "gap" && first.type === "cut" ? "its start was left out" : "its first segments were removed";
  return `the log does not start at a page load: ${why}`;
}

/** The number drawn for a purpose that the log doesn't have, and its limit in a turn: a saga may draw until it fits. */
const NEW_DRAW = 0.5;
const MAX_NEW_DRAWS = 100;

/** Whether a line is a draw, which was answered within its turn. */
export const isDraw = (line: Line): boolean => line.kind === "effect" && (line.type === DRAW || line.type === NEW_ID);
type ActionLike = { readonly type: string; readonly payload?: unknown };
const bare = ({ type, payload }: ActionLike) => ({ type, payload: payload ?? null });

/**
 * Runs the real sagas on the log's inputs and answers, under its clock, and compares their actions and calls with its
 * lines. Stops at the first divergence. Must not run inside a turn of this realm: redux-saga's scheduler may then be
 * held.
 */
export function replaySagas(
  program: AnyProgram,
  recorded: Log,
  { onAction, earlier = program }: SagaReplayOptions = {},
): SagasReplayed {
  if (turnIsRunning()) throw new Error("a replay cannot run inside a live turn: use a Worker");
  const { log, warnings } = modernised(program, recorded);
  const { header, lines } = log;
  const first = lines[0];
  const start = first?.kind === "snapshot" ? first : undefined;
  // From a state that no session had, reducers may throw and sagas may never end.
  const unsound = start && misplaced(lines, 0);
  const check = createStateCheck(program);
  let cursor = start ? 1 : 0;
  let instant = { at: header.started_at, mono: first?.mono ?? 0 };
  let divergence: Divergence | undefined;
  let actions = 0;
  // Whether the next action is an input of the log rather than a saga's.
  let feeding = false;
  let thrown: { readonly error: unknown } | undefined;
  let upTo: number | undefined;
  let endsInTurn: number | undefined;
  // The line whose turn runs.
  let turnLine = 1;
  const crashes: Crash[] = [];
  const extended = new Set<string>();
  const thrownSoFar = new Set<unknown>();

  function recordCrash(error: unknown): void {
    // A port's failure isn't a crash, and an error passes from effect to effect.
    if (hasEnded() || error instanceof PortError || thrownSoFar.has(error)) return;
    thrownSoFar.add(error);
    crashes.push(crashAt(turnLine, error));
  }

  const hasEnded = (): boolean => divergence !== undefined || endsInTurn !== undefined || upTo !== undefined;

  /** Whether the log has no more of this turn: it ends here, or the next lines could not be stored. */
  const isCut = (at: number): boolean => at >= lines.length || lines[at]?.kind === "gap";

  /** Ends the replay at such a cut. */
  function endAt(at: number): void {
    if (at < lines.length) upTo = fileLine(at);
    else endsInTurn = fileLine(lines.length - 1);
  }

  // Nothing is thrown into a saga, whose catch would hide it: a divergence is recorded, and the effects stop.
  const diverge = (why: Reason, expected: unknown, got: unknown, details: Partial<DivergenceDetails> = {}): void => {
    // What follows from a new draw isn't the first difference.
    checkNewDraws();
    if (hasEnded()) return;
    divergence = divergenceAt(lines, Math.min(cursor, lines.length), {
      why,
      expected,
      got,
      open: world.open(),
      ...details,
    });
  };

  /** Records an action or call without a line, unless the log is cut there. */
  const diverged = (why: Reason, got: unknown, details: Partial<DivergenceDetails> = {}): void => {
    if (!isCut(cursor)) diverge(why, lines[cursor], got, details);
    else if (!hasEnded()) endAt(cursor);
  };

  /** Moves past a line that a saga produced within this turn. */
  function pass(line: Line): void {
    const moved = line.at !== instant.at || line.mono !== instant.mono;
    const wrong =
      misplaced(lines, cursor) ?? (moved ? `its turn is at ${instant.at}, the line at ${line.at}` : undefined);
    if (wrong) diverge("order", wrong, line);
    else cursor += 1;
  }

  const world = createReplayWorld(program.methods, start?.payload.counters ?? {}, {
    now: () => instant.at,
    portError: program.portError,
    drawn(call) {
      const line = lines[cursor];
      if (line?.kind === "effect" && line.call === call && "ok" in line.payload) {
        pass(line);
        return { value: line.payload.ok };
      }
      if (isNewDraw(call) && newDraws.length < MAX_NEW_DRAWS) {
        newDraws.push({ call, cursor, timers: newTimers() });
        return { value: NEW_DRAW };
      }
      diverged("different-draw", { call });
      return undefined;
    },
  });

  const compare: Middleware = () => (dispatch) => (action) => {
    // A put may already have been scheduled when another one diverged.
    if (hasEnded()) return action;
    if (feeding) {
      feeding = false;
      return dispatch(action);
    }
    actions += 1;
    const line = lines[cursor];
    const got = bare(action as { type: string });
    if (line?.kind !== "action" || line.origin !== "saga") {
      diverged("extra-action", got, changedBy(undefined, got, action as object));
    } else if (canonical(bare(line)) !== canonical(got) && !isExtended(line, got)) {
      diverge("different-action", bare(line), got, differenceTo(line, got, action as object));
    } else {
      onAction?.(cursor, action as object);
      pass(line);
    }
    return hasEnded() ? action : dispatch(action);
  };

  /** Whether an action is the line's with fields that no action of its type has in the log. */
  function isExtended({ type, payload }: ActionLine, got: ReturnType<typeof bare>): boolean {
    if (got.type !== type) return false;
    const fields = addedFields(payload ?? {}, got.payload ?? {});
    const isInLog = (field: string): boolean =>
      lines.some((line) => line.kind === "action" && line.type === type && hasField(line.payload, field));
    if (!fields || fields.some(isInLog)) return false;
    for (const field of fields) extended.add(`${type} ${field}`);
    check.admit(fields);
    return true;
  }

  const saga = createSagaMiddleware({
    context: { world: world.world },
    onError: (error) => {
      thrown ??= { error };
    },
    // Includes errors that a saga catches: a supervised process that crashed leaves its message in the log, and no
    // stack.
    sagaMonitor: { effectRejected: (_effect, error) => recordCrash(error) },
    effectMiddlewares: [(run) => (effect) => (hasEnded() ? undefined : run(effect))],
  });
  const store = createStore(
    program.reducer as never,
    firstState(program, (!unsound && start?.payload.state) || header.snapshot) as never,
    applyMiddleware(compare, saga),
  );
  const state = (): State => store.getState() as State;

  const draws = new Set(lines.flatMap((line) => (isDraw(line) ? callsOf(line) : [])).map(baseOf));
  const isNewDraw = (call: string): boolean => call.startsWith(`${DRAW}:`) && !draws.has(baseOf(call));
  // Draws of this turn.
  let newDraws: { readonly call: string; readonly cursor: number; readonly timers: number }[] = [];
  const timers = new Set(lines.flatMap(callsOf).map(baseOf));
  const isNewTimer = (call: string): boolean => isTimer(program.methods, call) && !timers.has(baseOf(call));

  const newTimers = (): number => world.open().filter(isNewTimer).length;

  /** A new draw is the jitter of a new timer, which starts after it in the same turn, or a difference. */
  function checkNewDraws(): void {
    const [first] = newDraws;
    newDraws = [];
    if (!first || hasEnded() || newTimers() > first.timers) return;
    if (isCut(first.cursor)) endAt(first.cursor);
    else
      divergence = divergenceAt(lines, first.cursor, {
        why: "different-draw",
        expected: lines[first.cursor],
        got: { call: first.call },
        open: world.open(),
      });
  }

  /** The values that two actions would leave different, and the source line of this build's `put`. */
  function changedBy(
    one: ActionLike | undefined,
    other: ActionLike | undefined,
    action?: object,
  ): Pick<Divergence, "slices" | "changes" | "put"> {
    const changes = pathChanges(after(one), after(other));
    const is = action && putAt(action);
    const slices = [...new Set(changes.map(({ path }) => sliceOfPath(path)))];
    return { slices, changes, ...(is === undefined ? {} : { put: { is } }) };
  }

  /** The same for an action that met the log's: one of another type that the turn has later means that this is missing. */
  function differenceTo(line: ActionLine, got: ActionLike, action: object): Partial<DivergenceDetails> {
    if (line.type === got.type) return changedBy(line, got, action);
    const end = lines.findIndex((other, index) => index > cursor && other.origin !== "saga");
    const isLater = lines
      .slice(cursor + 1, end < 0 ? lines.length : end)
      .some((other) => other.kind === "action" && canonical(bare(other)) === canonical(got));
    return isLater
      ? { ...changedBy(line, undefined), fault: { why: "missing-action", type: line.type } }
      : { ...changedBy(undefined, got, action), fault: { why: "extra-action", type: got.type } };
  }

  function after(action: ActionLike | undefined): State {
    try {
      return action ? fold(program, state(), action.type, action.payload) : state();
    } catch {
      return state();
    }
  }

  /** Runs the turn of the line with this number, and compares whether it threw with the log. */
  function turn(line: number, body: () => void): void {
    turnLine = line;
    thrown = undefined;
    try {
      body();
    } catch (error) {
      thrown = { error };
    }
    if (thrown) recordCrash(thrown.error);
    checkNewDraws();
    const next = lines[cursor];
    if (hasEnded()) return;
    if (!next || isCut(cursor)) {
      // A turn that throws is followed by a line that records it.
      if (thrown) endAt(cursor);
    } else if (recordsCrash(next) !== (thrown !== undefined)) {
      const crash = thrown && crashAt(line, thrown.error);
      diverge("crash", next, crash?.message ?? null, crash ? { stack: crash.stack } : {});
    }
  }

  function feed(line: ActionLine): void {
    cursor += 1;
    turn(fileLine(cursor - 1), () => {
      feeding = true;
      store.dispatch(bare(line));
    });
  }

  function answer(line: EffectLine): void {
    const { call } = line;
    const { args } = line.payload;
    const digestOfCall = world.digestOf(call);
    if (args !== undefined && args !== digestOfCall) {
      diverge("different-arguments", { call, args }, { call, args: digestOfCall });
      return;
    }
    cursor += 1;
    turn(fileLine(cursor - 1), () => world.answer(line));
  }

  /** Moves past a checkpoint or snapshot between turns if it matches this state and these calls. */
  function compareWith(difference: StateDifference | undefined, expected: object, got: object): void {
    if (difference) {
      const recordedState = createFold(earlier, recorded).stateAt(cursor);
      const changes = changesBehind(difference, recordedState, state(), program);
      diverge("state", difference.expected, difference.got, { slices: difference.slices, changes });
    } else if (canonical(expected) !== canonical(got)) diverge("state", expected, got);
    else cursor += 1;
  }

  function step(line: Line): void {
    const wrong = misplaced(lines, cursor);
    if (wrong) {
      diverge("order", wrong, line);
      return;
    }
    // A new background timer affects nothing until it ends, which the log doesn't have.
    const open = world.open().filter((call) => !isNewTimer(call));
    switch (line.kind) {
      case "action":
        instant = line;
        if (line.origin === "saga") diverge("missing-action", bare(line), null, changedBy(line, undefined));
        else feed(line);
        break;
      case "effect":
        instant = line;
        if (isDraw(line)) diverge("different-draw", line, null);
        else if (!open.includes(line.call)) diverge("unasked-answer", line, null);
        else answer(line);
        break;
      case "checkpoint":
        compareWith(check.checkpoint(state(), line.payload.slices), { open: line.payload.open }, { open });
        break;
      case "snapshot": {
        const { open: expected } = line.payload;
        // Earlier builds also counted calls that had ended.
        const counters = countersOf(line.payload.counters, expected);
        const difference = check.snapshot(state(), line.payload.state);
        compareWith(difference, { open: expected, counters }, { open, counters: countersOf(world.counters(), open) });
        break;
      }
      case "gap":
        upTo = fileLine(cursor);
        break;
    }
  }

  if (unsound) {
    cursor = 0;
    diverge("order", unsound, start);
  } else turn(1, () => saga.run(program.rootSaga));
  while (cursor < lines.length && !hasEnded()) step(lines[cursor] as Line);

  if (extended.size > 0) warnings.push(`actions with fields that the log does not have: ${[...extended].join(", ")}`);
  warnings.push(...check.warnings());
  return {
    same: !divergence,
    actions,
    state: state(),
    hash: stateHash(state()),
    crashes,
    warnings,
    ...(divergence ? { divergence } : {}),
    ...(upTo === undefined ? {} : { upTo }),
    ...(endsInTurn === undefined ? {} : { endsInTurn }),
  };
}
