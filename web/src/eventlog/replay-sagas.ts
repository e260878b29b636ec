import { applyMiddleware, legacy_createStore as createStore, type Middleware } from "@reduxjs/toolkit";
import createSagaMiddleware from "redux-saga";
import { DRAW, NEW_ID } from "./calls";
import { type Divergence, divergenceAt, misplaced, type Why } from "./divergence";
import type { ActionLine, EffectLine, Line, State } from "./envelope";
import {
  type AnyProgram,
  createStateCheck,
  firstState,
  fold,
  modernised,
  type StateDifference,
  tellsOfCrash,
} from "./folding";
import { stateHash } from "./hash";
import { fileLine, type Log } from "./parse";
import { canonical } from "./plain";
import type { Replayed } from "./replay-reducers";
import { createReplayWorld } from "./replay-world";
import { turnIsRunning } from "./turns";

/** A saga replay; `upTo` is the number of the line it stopped before because of a gap. */
export interface SagasReplayed extends Replayed {
  readonly upTo?: number;
}

/** Why the real sagas cannot take this log up; undefined if they can. */
export function unplayable({ lines }: Log): string | undefined {
  const first = lines[0];
  if (!first || first.seq === 1) return undefined;
  return "the log does not begin at a page load: its first segments are gone";
}

const isDraw = (line: Line): boolean => line.kind === "effect" && (line.type === DRAW || line.type === NEW_ID);
type Bare = { readonly type: string; readonly payload?: unknown };
const bare = ({ type, payload }: Bare) => ({ type, payload: payload ?? null });

/**
 * Runs the real sagas on the log's inputs and answers, under its clock, and compares what they do with its lines. Stops
 * at the first divergence. Must not run inside a turn of this realm: redux-saga's scheduler may then be held.
 */
export function replaySagas(program: AnyProgram, recorded: Log): SagasReplayed {
  if (turnIsRunning()) throw new Error("a replay cannot run inside a live turn: replay in a Worker");
  const { log, warnings } = modernised(program, recorded);
  const { header, lines } = log;
  const first = lines[0];
  const start = first?.kind === "snapshot" ? first : undefined;
  const check = createStateCheck(program);
  let cursor = start ? 1 : 0;
  let instant = { at: header.started_at, mono: first?.mono ?? 0 };
  let divergence: Divergence | undefined;
  let actions = 0;
  // Whether the next action is an input of the log rather than a saga's.
  let feeding = false;
  let thrown: { readonly error: unknown } | undefined;
  let upTo: number | undefined;

  // Nothing is thrown into a saga, whose catch would hide it: a divergence is marked, and the effects stop.
  const diverge = (why: Why, expected: unknown, got: unknown, slices: readonly string[] = []): void => {
    divergence ??= divergenceAt(lines, Math.min(cursor, lines.length), {
      why,
      expected,
      got,
      slices,
      open: world.open(),
    });
  };

  /** Goes past a line that a saga made within the present turn. */
  function pass(line: Line): void {
    const moved = line.at !== instant.at || line.mono !== instant.mono;
    const wrong =
      misplaced(lines, cursor) ?? (moved ? `its turn stands at ${instant.at}, the line at ${line.at}` : undefined);
    if (wrong) diverge("order", wrong, line);
    else cursor += 1;
  }

  const world = createReplayWorld(program.methods, start?.payload.counters ?? {}, {
    now: () => instant.at,
    warn: (text) => warnings.push(`line ${fileLine(cursor)}: ${text}`),
    drawn(call) {
      const line = lines[cursor];
      if (line?.kind === "effect" && line.call === call && "ok" in line.payload) {
        pass(line);
        return { value: line.payload.ok };
      }
      diverge("different-draw", line ?? null, { call });
      return undefined;
    },
  });

  const compare: Middleware = () => (dispatch) => (action) => {
    // A put may have been on its way already when another one diverged.
    if (divergence) return action;
    if (feeding) {
      feeding = false;
      return dispatch(action);
    }
    actions += 1;
    const line = lines[cursor];
    const got = bare(action as { type: string });
    if (line?.kind !== "action" || line.origin !== "saga") {
      diverge("extra-action", line ?? null, got, changedBy(undefined, got));
    } else if (canonical(bare(line)) !== canonical(got)) {
      diverge("different-action", bare(line), got, changedBy(line, got));
    } else {
      pass(line);
    }
    return divergence ? action : dispatch(action);
  };

  const saga = createSagaMiddleware({
    context: { world: world.world },
    onError: (error) => {
      thrown ??= { error };
    },
    effectMiddlewares: [(run) => (effect) => (divergence ? undefined : run(effect))],
  });
  const store = createStore(
    program.reducer as never,
    firstState(program, start?.payload.state ?? header.snapshot) as never,
    applyMiddleware(compare, saga),
  );
  const state = (): State => store.getState() as State;

  /** The slices that two actions would leave unlike each other. */
  function changedBy(one: Bare | undefined, other: Bare | undefined): string[] {
    const [left, right] = [after(one), after(other)];
    return Object.keys({ ...left, ...right }).filter((name) => stateHash(left[name]) !== stateHash(right[name]));
  }

  function after(action: Bare | undefined): State {
    try {
      return action ? fold(program, state(), action.type, action.payload) : state();
    } catch {
      return state();
    }
  }

  /** Runs one turn and holds whether it threw against the log. */
  function turn(body: () => void): void {
    thrown = undefined;
    try {
      body();
    } catch (error) {
      thrown = { error };
    }
    const next = lines[cursor];
    if (divergence || !next || tellsOfCrash(next) === (thrown !== undefined)) return;
    diverge("crash", next, thrown ? String(thrown.error) : null);
  }

  function feed(line: ActionLine): void {
    cursor += 1;
    turn(() => {
      feeding = true;
      store.dispatch(bare(line));
    });
  }

  function answer(line: EffectLine): void {
    cursor += 1;
    turn(() => world.answer(line));
  }

  /** Goes past a checkpoint or a snapshot between turns, if it tells of this state and these calls. */
  function compareWith(difference: StateDifference | undefined, expected: object, got: object): void {
    if (difference) diverge("state", difference.expected, difference.got, difference.slices);
    else if (canonical(expected) !== canonical(got)) diverge("state", expected, got);
    else cursor += 1;
  }

  function step(line: Line): void {
    const wrong = misplaced(lines, cursor);
    if (wrong) {
      diverge("order", wrong, line);
      return;
    }
    const open = world.open();
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
        const { open: expected, counters } = line.payload;
        const difference = check.snapshot(state(), line.payload.state);
        compareWith(difference, { open: expected, counters }, { open, counters: world.counters() });
        break;
      }
      case "gap":
        upTo = fileLine(cursor);
        break;
    }
  }

  turn(() => saga.run(program.rootSaga));
  while (cursor < lines.length && !divergence && upTo === undefined) step(lines[cursor] as Line);

  if (check.reshaped().length > 0) warnings.push(`not compared, of another shape now: ${check.reshaped().join(", ")}`);
  return {
    same: !divergence,
    actions,
    state: state(),
    hash: stateHash(state()),
    warnings,
    ...(divergence ? { divergence } : {}),
    ...(upTo === undefined ? {} : { upTo }),
  };
}
