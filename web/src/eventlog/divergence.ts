import type { Line, State } from "./envelope";
import { fileLine } from "./parse";
import type { PathChange } from "./pathChanges";
import { sliceHash } from "./recorder";

/** The kind of difference between a replay and its log. */
export type Reason =
  /** The replay lacks a saga's action of the log. */
  | "missing-action"
  /** The replay dispatched an action that the log lacks. */
  | "extra-action"
  /** Both dispatched, but different actions. */
  | "different-action"
  /** The log answers a call that the replay didn't make. */
  | "unasked-answer"
  /** The log answers a call that the replay made with other arguments. */
  | "different-arguments"
  /** A number or id was drawn where the log has none, or the reverse. */
  | "different-draw"
  /** A slice's hash, or the list of open calls, differs from the checkpoint. */
  | "state"
  /** A turn threw in only one of the two. */
  | "crash"
  /** The screens of two builds say different things about one state. */
  | "screen"
  /** The lines themselves: one is missing, repeated or swapped, or time moved within a turn. */
  | "order";

/** LOG-3. The first step that differed. */
export interface Divergence {
  readonly why: Reason;
  /** The line's number in its file; the header is line 1. */
  readonly line: number;
  readonly expected: unknown;
  readonly got: unknown;
  /** The calls that waited for an answer. */
  readonly open: readonly string[];
  /** The five lines before. */
  readonly before: readonly Line[];
  /** The slices that differ. For an action: those it changes differently, or in only one of the two. */
  readonly slices: readonly string[];
  /** The values that differ, as far as both states are known. */
  readonly changes: readonly PathChange[];
  /** The action at fault, if two of different types met: the log's is missing, or this build's is extra. */
  readonly fault?: { readonly why: "missing-action" | "extra-action"; readonly type: string };
  /** The type of the action after which the states of two builds differ. */
  readonly after?: string;
  /** The addresses of the screens of two builds that differ. */
  readonly screens?: readonly string[];
  /** The source lines that dispatched the action, in the recording build and in this one. */
  readonly put?: { readonly was?: string; readonly is?: string };
  /** The fault of the lines themselves, if any; often the root cause. */
  readonly cause?: string;
  /** The stack in this build, for a turn that threw only in the replay. */
  readonly stack?: string;
}

/** An error of a reducer or saga in the replay, whether or not the log has it. */
export interface Crash {
  /** The line whose turn threw, by its number in the file; line 1 is the page load. */
  readonly line: number;
  readonly message: string;
  /** Includes the file and line of the product's code. */
  readonly stack: string;
}

export function crashAt(line: number, thrown: unknown): Crash {
  const isError = thrown instanceof Error;
  return { line, message: String(thrown), stack: (isError && thrown.stack) || String(thrown) };
}

/** Either the log was edited, or it is intact and this build behaves differently. */
export type DifferenceKind = "tampered" | "diverged";

/** Classifies a difference: lines that don't follow each other were never written like this. */
export const differenceKind = (lines: readonly Line[]): DifferenceKind =>
  lines.some((_line, index) => misplaced(lines, index) !== undefined) ? "tampered" : "diverged";

const LINES_BEFORE = 5;

/** The optional parts of a divergence. */
export type DivergenceDetails = Pick<Divergence, "open" | "slices" | "changes" | "fault" | "after" | "put" | "stack">;

/** Describes a divergence at the line with index `index`. */
export function divergenceAt(
  lines: readonly Line[],
  index: number,
  recorded: Pick<Divergence, "why" | "expected" | "got"> & Partial<DivergenceDetails>,
): Divergence {
  const before = lines.slice(Math.max(0, index - LINES_BEFORE), index);
  const cause = misplaced(lines, index);
  const divergence = { open: [], slices: [], changes: [], ...recorded, line: fileLine(index), before };
  return cause === undefined ? divergence : { ...divergence, cause };
}

/** The slices of `state` whose hash differs from the recorded one. Slices with a newer shape aren't compared. */
export function differingSlices(
  state: State,
  recorded: Readonly<Record<string, string>>,
  shapeOf: (slice: string) => number,
): string[] {
  return Object.keys(recorded).filter((name) => {
    const shape = shapeOf(name);
    if (shapeOfHash(recorded[name]) < shape) return false;
    return !(name in state) || sliceHash(shape, state[name]) !== recorded[name];
  });
}

/** The recorded slices with an older shape than today's, which hashes can't compare. */
export function reshapedSlices(
  recorded: Readonly<Record<string, string>>,
  shapeOf: (slice: string) => number,
): string[] {
  return Object.keys(recorded).filter((name) => shapeOfHash(recorded[name]) < shapeOf(name));
}

/** The shape version in a hash; NaN if it has none. */
const shapeOfHash = (hash = ""): number => (/^[1-9]\d*:/.test(hash) ? Number.parseInt(hash, 10) : Number.NaN);

/** The reason why this line is invalid at its position; undefined if it is valid. */
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
