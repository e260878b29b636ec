import { escaped } from "../../src/eventlog/report";
import type { FileRanges } from "./coverageRecorder";
import { linesIn } from "./lineRanges";

/** The answer, for programs. Line ranges are by file, relative to the repository. */
export interface Affected {
  /** The commit, abbreviated. */
  readonly since: string;
  /** Number of changed lines with code. */
  readonly changed: number;
  /** Number of sessions in the folder. */
  readonly of: number;
  /** The chosen sessions, each with the changed lines that it adds. */
  readonly sessions: readonly { readonly file: string; readonly adds: number; readonly lines: FileRanges }[];
  /** Whether no smaller number of sessions runs these lines. */
  readonly isMinimal: boolean;
  /** Changed lines that run as the program loads, in every session. */
  readonly loaded: FileRanges;
  /** Changed lines that no session runs. */
  readonly unrun: FileRanges;
  /** Changed lines in files that a replay doesn't load, such as screens. */
  readonly notLoaded: FileRanges;
  /** Changed lines that represent removed code before them. */
  readonly removals: FileRanges;
  /** Sessions that stopped at a difference. */
  readonly cut: readonly string[];
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const sizeOf = (ranges: FileRanges): number => Object.values(ranges).reduce((sum, text) => sum + linesIn(text).size, 0);

const listed = (ranges: FileRanges): string[] =>
  Object.entries(ranges).map(([file, text]) => `  ${file}:${text.replaceAll(",", ", ")}`);

const listedIfAny = (ranges: FileRanges, title: (count: string) => string): string[] => {
  const size = sizeOf(ranges);
  return size === 0 ? [] : ["", title(counted(size, "changed line")), ...listed(ranges)];
};

/** The answer, for people. */
export function affectedText(affected: Affected): string {
  const { since, changed, of, sessions, isMinimal, loaded, unrun, notLoaded, removals, cut, unreadable } = affected;
  const run = changed - sizeOf(unrun) - sizeOf(notLoaded);
  const lines = [
    `${counted(changed, "changed line")} with code since ${since}, ${run} of them run by a session`,
    ...(sessions.length === 0
      ? []
      : ["", `${counted(sessions.length, "session")} of ${of} run${sessions.length === 1 ? "s" : ""} these:`]),
    ...sessions.map(({ file, adds }, index) => `  ${file}: ${counted(adds, "line")}${index === 0 ? "" : " more"}`),
    ...(isMinimal ? [] : ["  fewer may do: the search took too many steps"]),
    ...listedIfAny(loaded, (count) => `${count} in every session, run as the program loads:`),
    ...listedIfAny(unrun, (count) => `${count} in no session:`),
    ...listedIfAny(notLoaded, (count) => `${count} in no session, in files that a replay does not load:`),
    ...listedIfAny(removals, (count) => `${count} for removed code before it:`),
    ...(cut.length === 0
      ? []
      : ["", `${counted(cut.length, "session")} stopped at a difference. The first: ${cut[0]}`]),
    ...(unreadable.length === 0 ? [] : ["", `${counted(unreadable.length, "session")} passed over:`]),
    ...unreadable.map(({ file, reason }) => `  ${file}: ${reason}`),
  ];
  return lines.map(escaped).join("\n");
}
