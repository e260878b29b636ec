import type { Line, State } from "../eventlog/envelope";
import { type AnyProgram, firstState, fold, modernised } from "../eventlog/folding";
import { fileLine, type Log, parseLog } from "../eventlog/parse";
import { onAbsentMove } from "../machines/machine";
import type { RootState } from "../slices";

/**
 * A log that was read, and the state behind each of its lines. Position `p` is the state after the first `p` lines behind
 * the header. People read the number of the line in the file, `lineNumber`, as the command line tells it.
 */
export interface Recording {
  /** The file's name. */
  readonly name: string;
  /** The file, as it was read. */
  readonly text: string;
  readonly log: Log;
  /** One more than there are lines. */
  readonly states: readonly RootState[];
}

/** The number in the file of the line that led to a position; the header, line 1, leads to the first. */
export const lineNumber = (position: number): number => fileLine(position - 1);

function next(program: AnyProgram, state: State, line: Line): State {
  if (line.kind === "snapshot") return firstState(program, line.payload.state);
  if (line.kind !== "action") return state;
  try {
    return fold(program, state, line.type, line.payload);
  } catch {
    // A turn that threw changed nothing when it was live.
    return state;
  }
}

function statesOf(program: AnyProgram, { header, lines }: Log): State[] {
  const states: State[] = [firstState(program, header.snapshot)];
  for (const line of lines) states.push(next(program, states.at(-1) as State, line));
  return states;
}

/** Reads a log and folds it. States share what did not change. Throws `UnreadableLog`. */
export function openRecording(program: AnyProgram, name: string, text: string): Recording {
  const { log } = modernised(program, parseLog(text));
  // What machines meet in a file is no defect of the page that shows it, whose reporter hears of this realm's.
  const heard = onAbsentMove(null);
  try {
    return { name, text, log, states: statesOf(program, log) as unknown as readonly RootState[] };
  } finally {
    onAbsentMove(heard);
  }
}

/** The state at a position; past the ends it is that of the end. */
export function stateAt({ states }: Recording, position: number): RootState {
  return states[Math.min(Math.max(0, position), states.length - 1)] as RootState;
}

/** The line that led to a position; none leads to the first. */
export const lineAt = ({ log }: Recording, position: number): Line | undefined => log.lines[position - 1];
