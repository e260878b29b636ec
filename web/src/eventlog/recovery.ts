import type { State } from "./envelope";
import { type AnyProgram, firstState, fold, modernised } from "./folding";
import type { Log } from "./parse";

/** A persisted state, and the `seq` of its log line. */
export interface PersistedState {
  readonly state: State;
  readonly position: number;
}

export interface Recovered extends PersistedState {
  /** Number of actions folded over the snapshot. */
  readonly actions: number;
}

/**
 * The state after a log's last recorded action: the lines after the snapshot, folded over it. Without `taken`, recovery
 * starts from the log's own last snapshot, or its page load. Lines after a hole without a snapshot are ignored.
 */
export function recoverState(program: AnyProgram, recorded: Log, persisted?: PersistedState): Recovered {
  const { lines, header } = modernised(program, recorded).log;
  let state = firstState(program, persisted?.state ?? header.snapshot);
  let position = persisted?.position ?? 0;
  let actions = 0;
  for (const line of lines) {
    if (line.seq <= position) continue;
    if (line.kind === "snapshot") {
      state = firstState(program, line.payload.state);
    } else if (line.seq !== position + 1) {
      continue;
    } else if (line.kind === "action") {
      actions += 1;
      state = foldSafely(program, state, line.type, line.payload);
    }
    position = line.seq;
  }
  return { state, position, actions };
}

/** An action whose reducer threw live ended its turn and changed nothing. */
function foldSafely(program: AnyProgram, state: State, type: string, payload: unknown): State {
  try {
    return fold(program, state, type, payload);
  } catch {
    return state;
  }
}
