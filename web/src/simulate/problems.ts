import type { Crash } from "../eventlog/divergence";
import type { Line } from "../eventlog/envelope";
import { recordsCrash } from "../eventlog/folding";
import { turnAt } from "../eventlog/rerun";
import type { Lane } from "./lanes";
import { positionOf } from "./outcome";

/** A step at which something went wrong for the viewer. */
export interface Problem {
  readonly position: number;
  /** The error, or the machine and its state. */
  readonly title: string;
}

/** Facts such as `purchase/refused` and `sagas/crashed`. */
const REFUSAL = /(?:refused|rejected|failed|crashed)$/i;
const TROUBLED = ["interrupted"];

function titleOf(line: Line): string | undefined {
  if (line.kind === "effect" && "err" in line.payload) return `${line.type}: ${line.payload.err.code}`;
  if (line.kind === "action" && REFUSAL.test(line.type)) return line.type;
  return recordsCrash(line) ? "a turn threw" : undefined;
}

/**
 * Refusals, errors, crashes, and failed or interrupted states, in order. Those of one turn are one problem, at its last
 * step, which has the result.
 */
export function problemsOf(lines: readonly Line[], lanes: readonly Lane[], crashes: readonly Crash[]): Problem[] {
  const found: Problem[] = [];
  for (const [index, line] of lines.entries()) {
    const title = titleOf(line);
    if (title !== undefined) found.push({ position: index + 1, title });
  }
  for (const { name, spans } of lanes)
    for (const { at, tone, from } of spans)
      if (from > 0 && (tone === "bad" || TROUBLED.includes(at))) found.push({ position: from, title: `${name} ${at}` });
  for (const crash of crashes) found.push({ position: positionOf(crash), title: crash.message });
  return byTurn(
    lines,
    found.toSorted((one, other) => one.position - other.position),
  );
}

function byTurn(lines: readonly Line[], found: readonly Problem[]): Problem[] {
  const problems: Problem[] = [];
  let turn: number | undefined;
  for (const { position, title } of found) {
    const { from } = turnAt(lines, position);
    const last = problems.at(-1);
    if (!last || from !== turn) problems.push({ position, title });
    else if (last.title.split(", ").includes(title)) problems[problems.length - 1] = { position, title: last.title };
    else problems[problems.length - 1] = { position, title: `${last.title}, ${title}` };
    turn = from;
  }
  return problems;
}
