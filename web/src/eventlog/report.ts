import type { FoldsCompared } from "./compareFolds";
import type { Crash, DifferenceKind, Divergence, Reason } from "./divergence";
import type { Line } from "./envelope";
import { fileLine } from "./parse";
import type { PathChange } from "./pathChanges";
import type { Missing, Outcome, Status, Unreadable } from "./replay";
import type { Replayed } from "./replay-reducers";

/** Length of the longest JSON text in a report, in characters. */
const MAX_TEXT = 400;
/** Maximum number of stack lines in a report. */
const STACK_LINES = 8;

export const KIND_TITLES: Readonly<Record<DifferenceKind, string>> = {
  tampered: "the log was edited: its lines were changed",
  diverged: "the product diverged: the log is intact, and this build behaves differently",
};

export const TITLES: Readonly<Record<Reason, string>> = {
  "missing-action": "the sagas did not dispatch an action of the log",
  "extra-action": "the sagas dispatched an action that the log does not have here",
  "different-action": "the sagas dispatched another action",
  "unasked-answer": "the sagas did not make a call that the log answers",
  "different-arguments": "a call was made with other arguments",
  "different-draw": "a number or an id was drawn differently",
  state: "the state differs from the recorded one",
  crash: "a turn threw in only one of the two",
  screen: "the screens of the two builds say different things",
  order: "the lines were changed",
};

function excerpt(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}

/** A log line on one line of a report. */
function outlined(line: Line, number: number): string {
  const call = line.kind === "effect" ? ` ${line.call}` : "";
  return `    ${number}: seq ${line.seq} +${line.mono} ms ${line.kind} ${line.origin} ${line.type}${call} ${excerpt(line.payload)}`;
}

const stackReport = (stack: string): string[] =>
  stack
    .split("\n")
    .slice(0, STACK_LINES)
    .map((line) => `      ${line.trim()}`);

/** Maximum number of changed values in a report, and length of each side. */
const MAX_CHANGES = 8;
const MAX_SIDE = 160;

/** `purchase.at: was "paid", is "failed"`. */
export function changeText({ path, was, is }: PathChange): string {
  const side = (value: unknown): string => {
    const text = JSON.stringify(value) ?? "absent";
    return text.length <= MAX_SIDE ? text : `${text.slice(0, MAX_SIDE)}…`;
  };
  return `${path}: was ${side(was)}, is ${side(is)}`;
}

/** Whether a change has values: a slice whose recorded state is unknown has none. */
export const hasValues = (change: PathChange): boolean => "was" in change || "is" in change;

function changesReport(all: readonly PathChange[]): string[] {
  const changes = all.filter(hasValues);
  const rest = changes.length - MAX_CHANGES;
  const listed = changes.slice(0, MAX_CHANGES).map((change) => `  ${changeText(change)}`);
  return rest > 0 ? [...listed, `  and ${rest} more values`] : listed;
}

function divergenceReport(divergence: Divergence): string[] {
  const { why, line, expected, got, open, before, slices, changes, after, put, cause, stack } = divergence;
  // A state's changes say more than its hashes.
  const isNamed = why === "state" && changes.some(hasValues);
  return [
    `  line ${line}: ${after === undefined ? TITLES[why] : `after ${after}, the states of the two builds differ`} (${why})`,
    ...(cause === undefined || cause === expected ? [] : [`  cause: ${cause}`]),
    ...(isNamed ? [] : [`  expected: ${excerpt(expected)}`, `  got:      ${excerpt(got)}`]),
    ...changesReport(changes),
    ...(put?.was === undefined ? [] : [`  was put at ${put.was}`]),
    ...(put?.is === undefined ? [] : [`  is put at ${put.is}`]),
    ...(stack === undefined ? [] : stackReport(stack)),
    `  slices that differ: ${slices.join(", ") || "none"}`,
    `  open calls: ${open.join(", ") || "none"}`,
    "  lines before:",
    ...before.map((earlier, index) => outlined(earlier, line - before.length + index)),
  ];
}

const crashReport = ({ line, stack }: Crash): string[] => [`  line ${line}: its turn threw`, ...stackReport(stack)];

function replayReport(title: string, { same, actions, hash, divergence, crashes, warnings }: Replayed): string[] {
  // The crash that is the divergence is reported there.
  const otherCrashes = crashes.filter(({ stack }) => stack !== divergence?.stack);
  return [
    `${title}: ${same ? "same" : "DIVERGED"}, ${actions} actions, state ${hash}`,
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...otherCrashes.flatMap(crashReport),
    ...(divergence ? divergenceReport(divergence) : []),
  ];
}

function buildsReport(builds: FoldsCompared | string): string[] {
  if (typeof builds === "string") return [`recording build: not compared: ${builds}`];
  const { same, actions, divergence, warnings } = builds;
  return [
    `recording build: ${same ? "same" : "DIVERGED"}, ${actions} actions folded by both builds`,
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...(divergence ? divergenceReport(divergence) : []),
  ];
}

export type Verdict = "same" | "differs" | "unreadable" | "partial";

const VERDICTS: Readonly<Record<Status, Verdict>> = { 0: "same", 1: "differs", 2: "unreadable", 3: "partial" };

const titleOf = ({ status, kind }: Outcome): string =>
  kind === null ? VERDICTS[status] : `${VERDICTS[status]}, ${kind}`;

/** Escapes characters that control a terminal or change the text direction. */
export const escaped = (line: string): string =>
  line.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** Formats an outcome for people. `build` is the replaying build. */
export function report(name: string, outcome: Outcome | Unreadable, build: string): string {
  return linesOf(name, outcome, build).map(escaped).join("\n");
}

function linesOf(name: string, outcome: Outcome | Unreadable, build: string): string[] {
  if (outcome.status === 2) return `${name}: unreadable: ${outcome.unreadable}`.split("\n");
  const { kind, log, reducers, builds, sagas, missing } = outcome;
  const { header, lines } = log;
  const lastLine = fileLine(lines.length - 1);
  return [
    `${name}: ${titleOf(outcome)} (${lastLine} lines, recorded by ${header.build}, replayed by ${build})`,
    ...(kind === null ? [] : [`  ${KIND_TITLES[kind]}`]),
    ...missing.map(({ line, what }) => `  missing at line ${line}: ${what}`),
    ...replayReport("reducers", reducers),
    ...(builds === null ? [] : buildsReport(builds)),
    ...(typeof sagas === "string" ? [`sagas: ${sagas}`] : replayReport("sagas", sagas)),
  ];
}

/** One replay of a log, for programs. */
interface ReplaySummary extends Omit<Replayed, "state" | "divergence"> {
  readonly divergence: Divergence | null;
}

/** The screens of two builds, compared at each press and checkpoint. */
export interface ScreensCompared {
  /** The first of them that differs, with the differences of all. */
  readonly divergence?: Divergence;
  readonly warnings: readonly string[];
}

/** One file's result, for programs. */
export interface Summary {
  readonly file: string;
  readonly status: Status;
  readonly verdict: Verdict;
  /** The kind of difference; null without one. */
  readonly kind: DifferenceKind | null;
  /** The first line that differs, is unreadable or reveals a missing part; null: none. */
  readonly line: number | null;
  /** The reason why the file is unreadable; null if it isn't. */
  readonly reason: string | null;
  /** null for an unreadable file. */
  readonly log: {
    readonly lines: number;
    readonly build: string;
    readonly channel: string;
    readonly locale: string;
  } | null;
  readonly missing: readonly Missing[];
  /** null for a part that wasn't replayed. */
  readonly replayed: {
    readonly reducers: ReplaySummary | null;
    /** A text gives the reason for not comparing the recording build. */
    readonly builds: FoldsCompared | string | null;
    readonly sagas: ReplaySummary | null;
    /** Absent if the screens of the recording build weren't asked for. */
    readonly screens?: ScreensCompared | string;
  };
}

function summaryOf({ same, actions, hash, crashes, warnings, divergence }: Replayed): ReplaySummary {
  return { same, actions, hash, crashes, warnings, divergence: divergence ?? null };
}

/** Formats an outcome for programs. */
export function summary(file: string, outcome: Outcome | Unreadable): Summary {
  const { status } = outcome;
  const verdict = VERDICTS[status];
  if (outcome.status === 2) {
    const { unreadable: reason, line } = outcome;
    const replayed = { reducers: null, builds: null, sagas: null };
    return { file, status, verdict, kind: null, line, reason, log: null, missing: [], replayed };
  }
  const { kind, log, reducers, builds, sagas, missing } = outcome;
  const { build, channel, locale } = log.header;
  const excerpt = [reducers, builds, sagas].flatMap((one) =>
    one === null || typeof one === "string" ? [] : (one.divergence?.line ?? []),
  );
  const positions = excerpt.length > 0 ? excerpt : missing.map(({ line }) => line);
  return {
    file,
    status,
    verdict,
    kind,
    line: positions.length > 0 ? Math.min(...positions) : null,
    reason: null,
    log: { lines: fileLine(log.lines.length - 1), build, channel, locale },
    missing,
    replayed: { reducers: summaryOf(reducers), builds, sagas: typeof sagas === "string" ? null : summaryOf(sagas) },
  };
}
