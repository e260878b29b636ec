import { type Divergence, divergenceAt } from "./divergence";
import type { ActionLine, Line, State } from "./envelope";
import { type AnyProgram, firstState, modernised, shapeOf, stateAfter } from "./folding";
import { fileLine, type Log } from "./parse";
import { type PathChange, pathChanges, sliceOfPath } from "./pathChanges";
import { putAt } from "./puts";
import { replayReducers } from "./replay-reducers";
import { blockerOf, replaySagas } from "./replay-sagas";

/** The states of two builds for one log, compared after each action. */
export interface FoldsCompared {
  readonly same: boolean;
  /** Number of actions folded by both. */
  readonly actions: number;
  /** The first action after which they differ. */
  readonly divergence?: Divergence;
  readonly warnings: readonly string[];
}

/** The recording build's program, or the reason why it isn't known. */
export type Earlier = { readonly program: AnyProgram } | { readonly unknown: string };

/**
 * Folds a log with the reducers of the build that recorded it and with this build's, and compares the states after each
 * action: this finds a wrong state that is corrected before the next checkpoint. A text gives the reason for not
 * comparing them.
 */
export function compareFolds(
  earlier: Earlier,
  program: AnyProgram,
  recorded: Log,
  intended: (divergence: Divergence) => string | undefined = () => undefined,
): FoldsCompared | string {
  if ("unknown" in earlier) return earlier.unknown;
  if (!replayReducers(earlier.program, recorded).same) return "its commit does not replay its own recording";
  return createComparison(earlier.program, program, recorded).run(intended);
}

function createComparison(earlier: AnyProgram, program: AnyProgram, recorded: Log) {
  const [before, today] = [earlier, program].map((one) => modernised(one, recorded).log.lines) as [Line[], Line[]];
  const { snapshot } = recorded.header;
  const start: readonly [State, State] = [firstState(earlier, snapshot), firstState(program, snapshot)];
  const initial: readonly [State, State] = [firstState(earlier, null), firstState(program, null)];
  const names = Object.keys(initial[0]).filter((name) => shapeOf(earlier, name) === shapeOf(program, name));

  /** Whether a value is a field that this build's initial state has and the earlier one's hasn't. */
  function isNewField({ path, was }: PathChange): boolean {
    const name = sliceOfPath(path);
    const [old, now] = initial.map((state) => Object.keys((state[name] ?? {}) as object)) as [string[], string[]];
    return was === undefined && now.some((field) => path === `${name}.${field}` && !old.includes(field));
  }

  /** The differences between two states, without slices that are the objects of a comparison before. */
  function changesBetween([was, is]: readonly [State, State], compared: readonly [State, State] | null): PathChange[] {
    const fresh = names.filter((name) => was[name] !== compared?.[0][name] || is[name] !== compared?.[1][name]);
    const pick = (state: State) => Object.fromEntries(fresh.map((name) => [name, state[name]]));
    return pathChanges(pick(was), pick(is)).filter((change) => !isNewField(change));
  }

  function differing(index: number, changes: readonly PathChange[]): Divergence {
    const sides = (side: "was" | "is") =>
      Object.fromEntries(changes.map((change) => [change.path, change[side] ?? null]));
    return divergenceAt(today, index, {
      why: "state",
      expected: sides("was"),
      got: sides("is"),
      slices: [...new Set(changes.map(({ path }) => sliceOfPath(path)))],
      changes,
      after: today[index]?.type ?? "",
    });
  }

  return {
    run(intended: (divergence: Divergence) => string | undefined): FoldsCompared {
      let states = start;
      let compared: readonly [State, State] | null = null;
      let isComparable = true;
      let actions = 0;
      let warning: string | undefined;
      for (const [index, line] of today.entries()) {
        const old = before[index] as Line;
        if (line.kind === "gap") isComparable = false;
        if (line.kind === "snapshot") isComparable = true;
        // The replay of the reducers reports a turn that throws.
        states = [stateAfter(earlier, states[0], old), stateAfter(program, states[1], line)];
        if (!isComparable || line.kind !== "action") continue;
        actions += 1;
        const changes = changesBetween(states, compared);
        compared = states;
        if (changes.length === 0) continue;
        const divergence = differing(index, changes);
        const reason = intended(divergence);
        if (reason === undefined) return { same: false, actions, divergence: withPut(divergence, line), warnings: [] };
        warning ??= reason;
      }
      return { same: true, actions, warnings: warning === undefined ? [] : [warning] };
    },
  };

  function withPut(divergence: Divergence, { origin }: ActionLine): Divergence {
    const was = origin === "saga" ? putsOf(earlier, recorded).get(divergence.line) : undefined;
    return was === undefined ? divergence : { ...divergence, put: { was } };
  }
}

/** The source lines at which a program's sagas dispatch the actions of its log, by line number. */
export function putsOf(program: AnyProgram, log: Log): ReadonlyMap<number, string> {
  const puts = new Map<number, string>();
  if (blockerOf(log) !== undefined) return puts;
  replaySagas(program, log, {
    onAction(index, action) {
      const put = putAt(action);
      if (put !== undefined) puts.set(fileLine(index), put);
    },
  });
  return puts;
}
