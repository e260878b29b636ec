import type { Line, State } from "../../src/eventlog/envelope";
import { type AnyProgram, createFold } from "../../src/eventlog/folding";
import { stateHash } from "../../src/eventlog/hash";
import { fileLine, type Log } from "../../src/eventlog/parse";

/** A press or a checkpoint of a session, whose screen two builds may render. */
export interface ScreenPoint {
  /** The line's number in its file. */
  readonly line: number;
  /** Equal for equal screens: the recording build, the language and both builds' states. */
  readonly key: string;
  /** The screen's address, without numbers. */
  readonly screen: string;
}

/** The state that a viewer saw before a line, in both builds. */
export type BothStates = readonly [was: State, is: State];

const isPoint = ({ kind, origin }: Line): boolean => kind === "checkpoint" || (kind === "action" && origin === "ui");

/** A press or a checkpoint of a log. */
interface Visit {
  readonly line: number;
  /** Unix milliseconds. */
  readonly at: number;
  states(): BothStates;
}

/** The presses and checkpoints before `end`, a line's number. States between a gap and a snapshot are unknown. */
export function* visitPoints(
  [earlier, today]: readonly [earlier: AnyProgram, today: AnyProgram],
  log: Log,
  end: number,
): Generator<Visit> {
  const [was, is] = [createFold(earlier, log), createFold(today, log)];
  let isComparable = true;
  for (const [index, line] of log.lines.entries()) {
    if (fileLine(index) >= end) return;
    if (line.kind === "gap") isComparable = false;
    if (line.kind === "snapshot") isComparable = true;
    if (isComparable && isPoint(line))
      yield { line: fileLine(index), at: line.at, states: () => [was.stateAt(index), is.stateAt(index)] };
  }
}

const NUMBERS = /\d+/g;

function screenOf(state: State): string {
  const { current } = (state.navigation ?? {}) as { readonly current?: { readonly path: string } | null };
  return (current?.path ?? "/").replace(NUMBERS, "*");
}

/** The presses and checkpoints of a log whose screens can be compared. */
export function screenPoints(
  programs: readonly [earlier: AnyProgram, today: AnyProgram],
  log: Log,
  end: number,
): ScreenPoint[] {
  const { build, locale } = log.header;
  const points: ScreenPoint[] = [];
  for (const { line, states } of visitPoints(programs, log, end)) {
    const [was, is] = states();
    points.push({ line, key: [build, locale, stateHash(was), stateHash(is)].join(" "), screen: screenOf(is) });
  }
  return points;
}
