import type { Crash, DifferenceKind, Divergence, Why } from "./divergence";
import type { Line } from "./envelope";
import { fileLine } from "./parse";
import type { Missing, Outcome, Status, Unreadable } from "./replay";
import type { Replayed } from "./replay-reducers";

/** The longest JSON text that a report shows whole. */
const SHOWN = 400;
/** The most lines of a stack that a report shows. */
const STACK_LINES = 8;

/** What each kind of difference means. */
export const KIND_TITLES: Readonly<Record<DifferenceKind, string>> = {
  tampered: "the log was edited: its lines are not as they were written",
  diverged: "the product diverged: the log's lines are as they were written, and this build does something else",
};

/** What each divergence means. */
export const TITLES: Readonly<Record<Why, string>> = {
  "missing-action": "the log has an action that the sagas did not dispatch",
  "extra-action": "the sagas dispatched an action that the log does not have here",
  "different-action": "the sagas dispatched another action",
  "unasked-answer": "the log answers a call that the sagas did not make",
  "different-arguments": "a call was made with other arguments",
  "different-draw": "a number or an id was drawn differently",
  state: "the state is not the one recorded",
  crash: "a turn threw on one side alone",
  order: "the lines are not as they were written",
};

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}

/** A line of the log on one line of a report. */
function outlined(line: Line, number: number): string {
  const call = line.kind === "effect" ? ` ${line.call}` : "";
  return `    ${number}: seq ${line.seq} +${line.mono} ms ${line.kind} ${line.origin} ${line.type}${call} ${shown(line.payload)}`;
}

const stackReport = (stack: string): string[] =>
  stack
    .split("\n")
    .slice(0, STACK_LINES)
    .map((line) => `      ${line.trim()}`);

function divergenceReport(divergence: Divergence): string[] {
  const { why, line, expected, got, open, before, slices, cause, stack } = divergence;
  return [
    `  line ${line}: ${TITLES[why]} (${why})`,
    ...(cause === undefined || cause === expected ? [] : [`  cause: ${cause}`]),
    `  expected: ${shown(expected)}`,
    `  got:      ${shown(got)}`,
    ...(stack === undefined ? [] : stackReport(stack)),
    `  slices that differ: ${slices.join(", ") || "none"}`,
    `  open calls: ${open.join(", ") || "none"}`,
    "  lines before:",
    ...before.map((earlier, index) => outlined(earlier, line - before.length + index)),
  ];
}

const crashReport = ({ line, stack }: Crash): string[] => [`  line ${line}: its turn threw`, ...stackReport(stack)];

function replayReport(title: string, { same, actions, hash, divergence, crashes, warnings }: Replayed): string[] {
  // The crash that is the divergence is told there.
  const others = crashes.filter(({ stack }) => stack !== divergence?.stack);
  return [
    `${title}: ${same ? "same" : "DIVERGED"}, ${actions} actions, state ${hash}`,
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...others.flatMap(crashReport),
    ...(divergence ? divergenceReport(divergence) : []),
  ];
}

/** The verdict on a log, in a word. */
export type Verdict = "same" | "differs" | "unreadable" | "partial";

const VERDICTS: Readonly<Record<Status, Verdict>> = { 0: "same", 1: "differs", 2: "unreadable", 3: "partial" };

const titleOf = ({ status, kind }: Outcome): string =>
  kind === null ? VERDICTS[status] : `${VERDICTS[status]}, ${kind}`;

/** What steers a terminal, or turns its text round, is told by its number. */
const shownSafely = (line: string): string =>
  line.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** Tells an outcome to a person. `build` is the build that replays. */
export function report(name: string, outcome: Outcome | Unreadable, build: string): string {
  return linesOf(name, outcome, build).map(shownSafely).join("\n");
}

function linesOf(name: string, outcome: Outcome | Unreadable, build: string): string[] {
  if (outcome.status === 2) return `${name}: unreadable: ${outcome.unreadable}`.split("\n");
  const { kind, log, reducers, sagas, missing } = outcome;
  const { header, lines } = log;
  const lastLine = fileLine(lines.length - 1);
  return [
    `${name}: ${titleOf(outcome)} (${lastLine} lines, recorded by ${header.build}, replayed by ${build})`,
    ...(kind === null ? [] : [`  ${KIND_TITLES[kind]}`]),
    ...missing.map(({ line, what }) => `  missing at line ${line}: ${what}`),
    ...replayReport("reducers", reducers),
    ...(typeof sagas === "string" ? [`sagas: ${sagas}`] : replayReport("sagas", sagas)),
  ];
}

/** One replay of a log, for a program to read. */
interface ReplaySummary extends Omit<Replayed, "state" | "divergence"> {
  readonly divergence: Divergence | null;
}

/** What became of one file, for a program to read. */
export interface Summary {
  readonly file: string;
  readonly status: Status;
  readonly verdict: Verdict;
  /** What a file that differs suffers from; null for others. */
  readonly kind: DifferenceKind | null;
  /** The number of the line that differs, cannot be read or shows what is missing first; null: there is none. */
  readonly line: number | null;
  /** Why the file is unreadable; null if it is not. */
  readonly reason: string | null;
  /** What was read; null for an unreadable file. */
  readonly log: {
    readonly lines: number;
    readonly build: string;
    readonly channel: string;
    readonly locale: string;
  } | null;
  readonly missing: readonly Missing[];
  /** What was replayed; null stands for what was not. */
  readonly replayed: { readonly reducers: ReplaySummary | null; readonly sagas: ReplaySummary | null };
}

function summaryOf({ same, actions, hash, crashes, warnings, divergence }: Replayed): ReplaySummary {
  return { same, actions, hash, crashes, warnings, divergence: divergence ?? null };
}

/** Tells an outcome to a program. */
export function summary(file: string, outcome: Outcome | Unreadable): Summary {
  const { status } = outcome;
  const verdict = VERDICTS[status];
  if (outcome.status === 2) {
    const { unreadable: reason, line } = outcome;
    const replayed = { reducers: null, sagas: null };
    return { file, status, verdict, kind: null, line, reason, log: null, missing: [], replayed };
  }
  const { kind, log, reducers, sagas, missing } = outcome;
  const { build, channel, locale } = log.header;
  const shown = [reducers, sagas].flatMap((one) => (typeof one === "string" ? [] : (one.divergence?.line ?? [])));
  const places = shown.length > 0 ? shown : missing.map(({ line }) => line);
  return {
    file,
    status,
    verdict,
    kind,
    line: places.length > 0 ? Math.min(...places) : null,
    reason: null,
    log: { lines: fileLine(log.lines.length - 1), build, channel, locale },
    missing,
    replayed: { reducers: summaryOf(reducers), sagas: typeof sagas === "string" ? null : summaryOf(sagas) },
  };
}
