import { type Accepted, acceptance, behindAccepted } from "./accepted";
import { type DifferenceKind, differenceKind } from "./divergence";
import { CHECKPOINT_INTERVAL, type Line } from "./envelope";
import type { AnyProgram } from "./folding";
import { fileLine, type Log, parseLog, UnreadableLog } from "./parse";
import { type Replayed, replayReducers } from "./replay-reducers";
import { blockerOf, replaySagas, type SagasReplayed } from "./replay-sagas";

/** A log's result: 0 replayed completely, 1 differs, 2 unreadable, 3 equal as far as it could be replayed. */
export type Status = 0 | 1 | 2 | 3;

/** The result of a log that was read and replayed. */
export interface Outcome {
  readonly status: 0 | 1 | 3;
  /** The kind of difference; null without one. */
  readonly kind: DifferenceKind | null;
  readonly log: Log;
  readonly reducers: Replayed;
  /** A string gives the reason for skipping the sagas. */
  readonly sagas: SagasReplayed | string;
  /** The parts of the session that weren't replayed, in line order. */
  readonly missing: readonly Missing[];
}

/** A text that isn't a log. */
export interface Unreadable {
  readonly status: 2;
  readonly unreadable: string;
  /** The number of the unreadable line; null if it is the whole file. */
  readonly line: number | null;
}

/** A part of a session that a replay couldn't compare with this build. */
export interface Missing {
  /** The number of the line that shows it. */
  readonly line: number;
  readonly what: string;
}

export interface ReplayOptions {
  /** Skips the sagas. */
  readonly reducersOnly?: boolean;
  /** The intended differences from the logs of a build. */
  readonly accepted?: (build: string) => readonly Accepted[];
}

export function replayLog(program: AnyProgram, log: Log, options: ReplayOptions = {}): Outcome {
  const accepted = options.accepted?.(log.header.build) ?? [];
  const reducers = replayReducers(program, log, (divergence) => acceptance(divergence, accepted));
  const skipReason = options.reducersOnly ? "skipped, as requested" : blockerOf(log);
  const sagas = skipReason ?? behindAccepted(program, log, replaySagas(program, log), accepted);
  const same = reducers.same && (typeof sagas === "string" || sagas.same);
  const missing = missingOf(log, sagas, options);
  const status = same ? (missing.length > 0 ? 3 : 0) : 1;
  return { status, kind: same ? null : differenceKind(log.lines), log, reducers, sagas, missing };
}

/** Parts that the log lacks, or that the sagas couldn't continue. Sagas skipped on request don't count. */
function missingOf(log: Log, sagas: SagasReplayed | string, { reducersOnly }: ReplayOptions): Missing[] {
  const missing: Missing[] = [];
  const blocker = blockerOf(log);
  if (blocker !== undefined)
    missing.push({ line: fileLine(0), what: reducersOnly ? blocker : `${blocker}; the sagas were not replayed` });
  if (log.lines.length === 0) missing.push({ line: fileLine(0), what: "the log has no lines" });
  for (const [index, line] of log.lines.entries()) {
    if (line.kind !== "gap") continue;
    const { from, to, reason } = line.payload;
    const why = line.type === "cut" ? `were left out: ${reason}` : `could not be stored (${reason})`;
    missing.push({ line: fileLine(index), what: `seq ${from} to ${to} ${why}` });
  }
  const { upTo, endsInTurn } = typeof sagas === "string" ? ({} as Partial<SagasReplayed>) : sagas;
  missing.push(...uncovered(log.lines, endsInTurn === undefined));
  if (upTo !== undefined) missing.push({ line: upTo, what: "after this gap, reducers only" });
  if (endsInTurn !== undefined) missing.push({ line: endsInTurn, what: "the log ends inside a turn" });
  return missing;
}

/** Ranges without checkpoints, also at the end: those lines are covered only by their own checks. */
function uncovered(lines: readonly Line[], atEnd: boolean): Missing[] {
  const missing: Missing[] = [];
  let actions = 0;
  for (const [index, line] of lines.entries()) {
    const startsTurn = (line.kind === "action" || line.kind === "effect") && line.origin !== "saga";
    // A due checkpoint is taken at the end of a turn.
    if (startsTurn && actions >= CHECKPOINT_INTERVAL) {
      missing.push({ line: fileLine(index), what: `no checkpoint after ${actions} actions` });
      actions = 0;
    }
    const previous = lines[index - 1]?.kind;
    if (line.kind === "snapshot" && previous !== undefined && previous !== "checkpoint" && previous !== "gap")
      missing.push({ line: fileLine(index), what: "no checkpoint before this snapshot" });
    if (line.kind === "action") actions += 1;
    else if (line.kind !== "effect") actions = 0;
  }
  const last = lines.findLastIndex(({ kind }) => kind === "checkpoint" || kind === "gap");
  if (atEnd && last < lines.length - 1)
    missing.push({ line: fileLine(last + 1), what: "no checkpoint from here to the end" });
  return missing;
}

export function replayText(program: AnyProgram, text: string, options: ReplayOptions = {}): Outcome | Unreadable {
  let log: Log;
  try {
    log = parseLog(text);
  } catch (error) {
    if (error instanceof UnreadableLog) return { status: 2, unreadable: error.message, line: error.line };
    throw error;
  }
  return replayLog(program, log, options);
}
