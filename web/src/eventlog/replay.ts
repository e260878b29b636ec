import { type Accepted, acceptance, behindAccepted } from "./accepted";
import { compareFolds, type Earlier, type FoldsCompared, putsOf } from "./compareFolds";
import { type DifferenceKind, type Divergence, differenceKind } from "./divergence";
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
  /** The comparison with the recording build; a string gives the reason why there is none, null that none was asked for. */
  readonly builds: FoldsCompared | string | null;
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
  /** The build that recorded the log; absent: only the log's hashes are compared. */
  readonly earlier?: Earlier;
  /** The intended differences from the logs of a build. */
  readonly accepted?: (build: string) => readonly Accepted[];
}

export function replayLog(program: AnyProgram, log: Log, options: ReplayOptions = {}): Outcome {
  const accepted = options.accepted?.(log.header.build) ?? [];
  const { earlier } = options;
  const intended = (divergence: Divergence) => acceptance(divergence, accepted);
  const before = earlier && "program" in earlier ? earlier.program : undefined;
  const reducers = replayReducers(program, log, intended, before);
  const builds = earlier ? compareFolds(earlier, program, log, intended) : null;
  const skipReason = options.reducersOnly ? "skipped, as requested" : blockerOf(log);
  const replayed =
    skipReason ?? behindAccepted(program, log, replaySagas(program, log, { earlier: before }), accepted, before);
  const sagas = typeof replayed === "string" ? replayed : withEarlierPut(replayed, log, earlier);
  const same = [reducers, builds, sagas].every((part) => part === null || typeof part === "string" || part.same);
  const missing = missingOf(log, sagas, options);
  const status = same ? (missing.length > 0 ? 3 : 0) : 1;
  return { status, kind: same ? null : differenceKind(log.lines), log, reducers, builds, sagas, missing };
}

/** Adds the source line of the recording build's `put` to a divergence at an action of the log. */
function withEarlierPut(sagas: SagasReplayed, log: Log, earlier: Earlier | undefined): SagasReplayed {
  const { divergence } = sagas;
  const isOfLog = divergence?.why === "missing-action" || divergence?.why === "different-action";
  if (!isOfLog || !earlier || "unknown" in earlier) return sagas;
  const was = putsOf(earlier.program, log).get(divergence.line);
  return was === undefined ? sagas : { ...sagas, divergence: { ...divergence, put: { was, ...divergence.put } } };
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
  const log = readLog(text);
  return "status" in log ? log : replayLog(program, log, options);
}

/** Parses a log, or says why it can't be read. */
export function readLog(text: string): Log | Unreadable {
  try {
    return parseLog(text);
  } catch (error) {
    if (error instanceof UnreadableLog) return { status: 2, unreadable: error.message, line: error.line };
    throw error;
  }
}
