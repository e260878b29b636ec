import type { Line, State } from "../../src/eventlog/envelope";
import { type AnyProgram, createFold } from "../../src/eventlog/folding";
import { stateHash } from "../../src/eventlog/hash";
import { fileLine, type Log } from "../../src/eventlog/parse";

/** A press or a checkpoint of a session, whose screen two builds may render. */
export interface ScreenPoint {
  /** The line's number in its file. */
  readonly line: number;
  /** Equal for equal screens and presses: the recording build, the language, the action and both builds' states. */
  readonly key: string;
  /** The screen's address, without numbers. */
  readonly screen: string;
}

/** The state that a viewer saw before a line, in both builds. */
export type BothStates = readonly [was: State, is: State];

/** Inputs of the browser, and reads that a page asks for when it appears. */
const NOT_PRESSED = /^(?:analytics|connection|navigation|network|outbox|player|queries|site|tabs)\//;

const isPoint = ({ kind, origin }: Line): boolean => kind === "checkpoint" || (kind === "action" && origin === "ui");

/** A press or a checkpoint of a log. */
interface Visit {
  readonly line: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** The action that a press may have dispatched; null for other inputs and at a checkpoint. */
  readonly type: string | null;
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
      yield {
        line: fileLine(index),
        at: line.at,
        type: line.kind === "action" && !NOT_PRESSED.test(line.type) ? line.type : null,
        states: () => [was.stateAt(index), is.stateAt(index)],
      };
  }
}

const NUMBERS = /\d+/g;

/** The address of a state's screen, without numbers. */
export function screenOf(state: State): string {
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
  for (const { line, type, states } of visitPoints(programs, log, end)) {
    const [was, is] = states();
    points.push({ line, key: [build, locale, type, stateHash(was), stateHash(is)].join(" "), screen: screenOf(is) });
  }
  return points;
}
