import { changesBehind } from "./changesBehind";
import { type Crash, crashAt, type Divergence, divergenceAt, misplaced } from "./divergence";
import type { ActionLine, Line, State } from "./envelope";
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
import { fileLine, type Log } from "./parse";

/** The result of one replay. */
export interface Replayed {
  /** Whether nothing differed as far as it went. */
  readonly same: boolean;
  /** Number of actions folded or dispatched. */
  readonly actions: number;
  /** The final state and its hash. */
  readonly state: State;
  readonly hash: string;
  readonly divergence?: Divergence;
  /** The errors thrown, each once. */
  readonly crashes: readonly Crash[];
  /** Findings that aren't differences. */
  readonly warnings: readonly string[];
}

/**
 * Folds every action of the log and compares each checkpoint and snapshot on the way. `intended` returns a warning for a
 * difference that doesn't end the replay. With the recording build's program, a difference has values instead of hashes.
 */
export function replayReducers(
  program: AnyProgram,
  recorded: Log,
  intended: (divergence: Divergence) => string | undefined = () => undefined,
  earlier?: AnyProgram,
): Replayed {
  const { log, warnings } = modernised(program, recorded);
  const before = earlier && createFold(earlier, recorded);
  const { header, lines } = log;
  const check = createStateCheck(program);
  let state = firstState(program, header.snapshot);
  let actions = 0;
  const crashes: Crash[] = [];
  // After a gap the state is unknown until the next snapshot.
  let isStateValid = true;

  function foldAction(line: ActionLine, index: number): Divergence | undefined {
    actions += 1;
    try {
      state = fold(program, state, line.type, line.payload);
    } catch (error) {
      const crash = crashAt(fileLine(index), error);
      crashes.push(crash);
      // A saga received its reducer's error and may have caught it; an input's error ended its turn, which is recorded.
      const next = lines[index + 1];
      if (line.origin === "saga" || !next || recordsCrash(next)) return undefined;
      return divergenceAt(lines, index, { why: "crash", expected: line, got: crash.message, stack: crash.stack });
    }
    return undefined;
  }

  let warned: string | undefined;
  function unlessIntended(difference: StateDifference, index: number): Divergence | undefined {
    const changes = before ? changesBehind(difference, before.stateAt(index), state, program) : [];
    const divergence = divergenceAt(lines, index, { why: "state", ...difference, changes });
    const warning = intended(divergence);
    // The slice stays different: the first difference is enough.
    if (warning !== undefined) warned ??= warning;
    return warning === undefined ? divergence : undefined;
  }

  function step(line: Line, index: number): Divergence | undefined {
    const wrong = misplaced(lines, index);
    if (wrong) return divergenceAt(lines, index, { why: "order", expected: wrong, got: line });
    switch (line.kind) {
      case "gap":
        isStateValid = false;
        return undefined;
      case "snapshot": {
        const difference = isStateValid && index > 0 ? check.snapshot(state, line.payload.state) : undefined;
        const divergence = difference && unlessIntended(difference, index);
        if (divergence) return divergence;
        if (!isStateValid || index === 0) check.forget();
        isStateValid = true;
        state = firstState(program, line.payload.state);
        return undefined;
      }
      case "action":
        return isStateValid ? foldAction(line, index) : undefined;
      case "checkpoint": {
        const difference = isStateValid ? check.checkpoint(state, line.payload.slices) : undefined;
        return difference && unlessIntended(difference, index);
      }
      case "effect":
        return undefined;
    }
  }

  let divergence: Divergence | undefined;
  for (let index = 0; index < lines.length && !divergence; index++) divergence = step(lines[index] as Line, index);

  warnings.push(...check.warnings(), ...(warned === undefined ? [] : [warned]));
  const result = { same: !divergence, actions, state, hash: stateHash(state), crashes, warnings };
  return divergence ? { ...result, divergence } : result;
}
