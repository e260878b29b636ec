import type { Line, State } from "../eventlog/envelope";
import { type AnyProgram, firstState, modernised, stateAfter } from "../eventlog/folding";
import { fileLine, type Log, parseLog } from "../eventlog/parse";
import { onAbsentMove } from "../machines/machine";
import type { RootState } from "../slices";

/**
 * A log and the state after each of its lines. Position `p` is the state after `p` lines after the header. `lineNumber`
 * is the line's number in the file, as the command line prints it.
 */
export interface Recording {
  readonly name: string;
  readonly text: string;
  readonly log: Log;
  /** One more than there are lines. */
  readonly states: readonly RootState[];
}

/** The file's line number for a position; the header, line 1, leads to position 0. */
export const lineNumber = (position: number): number => fileLine(position - 1);

function statesOf(program: AnyProgram, { header, lines }: Log): State[] {
  const states: State[] = [firstState(program, header.snapshot)];
  for (const line of lines) states.push(stateAfter(program, states.at(-1) as State, line));
  return states;
}

/** Reads a log and computes its states, which share unchanged parts. Throws `UnreadableLog`. */
export function openRecording(program: AnyProgram, name: string, text: string): Recording {
  const { log } = modernised(program, parseLog(text));
  // Invalid moves in a file aren't defects of this page, so they aren't reported.
  const previousListener = onAbsentMove(null);
  try {
    return { name, text, log, states: statesOf(program, log) as unknown as readonly RootState[] };
  } finally {
    onAbsentMove(previousListener);
  }
}

/** The state at a position, clamped to the recording's ends. */
export function stateAt({ states }: Recording, position: number): RootState {
  return states[Math.min(Math.max(0, position), states.length - 1)] as RootState;
}

/** The line that led to a position; undefined for the first. */
export const lineAt = ({ log }: Recording, position: number): Line | undefined => log.lines[position - 1];
