import type { State } from "./envelope";
import { type AnyProgram, firstState, fold, modernised } from "./folding";
import type { Log } from "./parse";

/** A persisted state, and the `seq` of the log line it was taken at. */
export interface TakenState {
  readonly state: State;
  readonly position: number;
}

/** What recovery came back with. */
export interface Recovered extends TakenState {
  /** How many actions were folded over the snapshot. */
  readonly actions: number;
}

/**
 * The state of a log's last recorded action: its lines after the snapshot, folded over it. Without `taken` the log's own
 * last snapshot is the start, or its page load. Lines past a hole that no snapshot mends are left alone.
 */
export function recoverState(program: AnyProgram, recorded: Log, taken?: TakenState): Recovered {
  const { lines, header } = modernised(program, recorded).log;
  let state = firstState(program, taken?.state ?? header.snapshot);
  let position = taken?.position ?? 0;
  let actions = 0;
  for (const line of lines) {
    if (line.seq <= position) continue;
    if (line.kind === "snapshot") {
      state = firstState(program, line.payload.state);
    } else if (line.seq !== position + 1) {
      continue;
    } else if (line.kind === "action") {
      actions += 1;
      state = foldOrKeep(program, state, line.type, line.payload);
    }
    position = line.seq;
  }
  return { state, position, actions };
}

/** An action whose reducer throws ended its turn when it was live, and changed nothing. */
function foldOrKeep(program: AnyProgram, state: State, type: string, payload: unknown): State {
  try {
    return fold(program, state, type, payload);
  } catch {
    return state;
  }
}
