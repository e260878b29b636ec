import type { Line, State } from "./envelope";
import { fileLine } from "./parse";
import { sliceHash } from "./recorder";

/** How a replay differed from its log. */
export type Why =
  /** The log has a saga's action that the replay did not dispatch. */
  | "missing-action"
  /** The replay dispatched an action where the log has none. */
  | "extra-action"
  /** Both dispatched, but not the same. */
  | "different-action"
  /** The log answers a call that the replay did not make. */
  | "unasked-answer"
  /** The log answers a call that was made with other arguments than the replay makes it with. */
  | "different-arguments"
  /** A number or an id was drawn that the log does not have there, or the other way round. */
  | "different-draw"
  /** A slice's hash, or the calls that wait for an answer, are not those of the checkpoint. */
  | "state"
  /** A turn threw in one of the two alone. */
  | "crash"
  /** The lines themselves: one is missing, repeated or swapped, or time moved within a turn. */
  | "order";

/** LOG-3. The first step that differed. */
export interface Divergence {
  readonly why: Why;
  /** The line's number in its file; the header is line 1. */
  readonly line: number;
  readonly expected: unknown;
  readonly got: unknown;
  /** The calls that waited for an answer. */
  readonly open: readonly string[];
  /** The five lines before. */
  readonly before: readonly Line[];
  /** The slices that differ, or would: for an action, those that it changes otherwise or alone. */
  readonly slices: readonly string[];
  /** What is wrong with the lines themselves, if something is: often the cause of the rest. */
  readonly cause?: string;
  /** Where this build threw, for a turn that threw in the replay alone. */
  readonly stack?: string;
}

/** What reducers or sagas threw in the replay, also where the log tells of the same crash. */
export interface Crash {
  /** The number in the file of the line whose turn threw; line 1 is the page load. */
  readonly line: number;
  readonly message: string;
  /** Names the file and the line of the product's code. */
  readonly stack: string;
}

/** Tells of what was thrown in the turn of the line with this number. */
export function crashAt(line: number, thrown: unknown): Crash {
  const isError = thrown instanceof Error;
  return { line, message: String(thrown), stack: (isError && thrown.stack) || String(thrown) };
}

/** The log itself was edited, or it is whole and this build does something else. */
export type DifferenceKind = "tampered" | "diverged";

/** Which of the two it is: lines that do not follow each other were never written like this. */
export const differenceKind = (lines: readonly Line[]): DifferenceKind =>
  lines.some((_line, index) => misplaced(lines, index) !== undefined) ? "tampered" : "diverged";

const LINES_BEFORE = 5;

/** Tells a divergence at the line at `index`. */
export function divergenceAt(
  lines: readonly Line[],
  index: number,
  told: Pick<Divergence, "why" | "expected" | "got"> & Partial<Pick<Divergence, "open" | "slices" | "stack">>,
): Divergence {
  const before = lines.slice(Math.max(0, index - LINES_BEFORE), index);
  const cause = misplaced(lines, index);
  const divergence = { open: [], slices: [], ...told, line: fileLine(index), before };
  return cause === undefined ? divergence : { ...divergence, cause };
}

/** The slices of `state` whose hash is not the one told. A slice that has a later shape now is not compared. */
export function differingSlices(
  state: State,
  told: Readonly<Record<string, string>>,
  shapeOf: (slice: string) => number,
): string[] {
  return Object.keys(told).filter((name) => {
    const shape = shapeOf(name);
    if (shapeTold(told[name]) < shape) return false;
    return !(name in state) || sliceHash(shape, state[name]) !== told[name];
  });
}

/** The slices told of with an earlier shape than today's, which no hash can compare. */
export function reshapedSlices(told: Readonly<Record<string, string>>, shapeOf: (slice: string) => number): string[] {
  return Object.keys(told).filter((name) => shapeTold(told[name]) < shapeOf(name));
}

/** The shape that a hash begins with; NaN where it tells none. */
const shapeTold = (hash = ""): number => (/^[1-9]\d*:/.test(hash) ? Number.parseInt(hash, 10) : Number.NaN);

/** Why this line may not stand where it does, or as it does; undefined if it may. */
export const misplaced = (lines: readonly Line[], index: number): string | undefined =>
  outOfOrder(lines, index) ?? lines[index]?.edited;

function outOfOrder(lines: readonly Line[], index: number): string | undefined {
  const line = lines[index];
  if (!line) return undefined;
  const previous = lines[index - 1];
  if (!previous) {
    if (line.seq === 1 || line.kind === "snapshot" || line.kind === "gap") return undefined;
    return `the lines before seq ${line.seq} are missing`;
  }
  if (line.kind === "gap" && line.payload.to + 1 === line.seq && line.payload.from === previous.seq + 1)
    return undefined;
  if (line.seq !== previous.seq + 1) return `seq ${line.seq} follows seq ${previous.seq}`;
  if (line.mono < previous.mono) return `mono ${line.mono} follows mono ${previous.mono}`;
  return undefined;
}
