import type { Divergence, Why } from "./divergence";
import type { Line } from "./envelope";
import { fileLine } from "./parse";
import type { Outcome } from "./replay";
import type { Replayed } from "./replay-reducers";

/** The longest JSON text that a report shows whole. */
const SHOWN = 400;

const TITLES: Readonly<Record<Why, string>> = {
  "missing-action": "the log has an action that the sagas did not dispatch",
  "extra-action": "the sagas dispatched an action that the log does not have here",
  "different-action": "the sagas dispatched another action",
  "unasked-answer": "the log answers a call that the sagas did not make",
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

function divergenceReport(divergence: Divergence): string[] {
  const { why, line, expected, got, open, before, slices, cause } = divergence;
  return [
    `  line ${line}: ${TITLES[why]} (${why})`,
    ...(cause === undefined || cause === expected ? [] : [`  cause: ${cause}`]),
    `  expected: ${shown(expected)}`,
    `  got:      ${shown(got)}`,
    `  slices that differ: ${slices.join(", ") || "none"}`,
    `  open calls: ${open.join(", ") || "none"}`,
    "  lines before:",
    ...before.map((earlier, index) => outlined(earlier, line - before.length + index)),
  ];
}

function replayReport(title: string, { same, actions, hash, divergence, warnings }: Replayed): string[] {
  return [
    `${title}: ${same ? "same" : "DIVERGED"}, ${actions} actions, state ${hash}`,
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...(divergence ? divergenceReport(divergence) : []),
  ];
}

/** Tells an outcome to a person. `build` is the build that replays. */
export function report(name: string, outcome: Outcome, build: string): string {
  if (outcome.status === 2) return `${name}: unreadable: ${outcome.unreadable}`;
  const { log, reducers, sagas } = outcome;
  const { header, lines } = log;
  const lastLine = fileLine(lines.length - 1);
  return [
    `${name}: ${outcome.status === 0 ? "same" : "diverged"} (${lastLine} lines, recorded by ${header.build}, replayed by ${build})`,
    ...replayReport("reducers", reducers),
    ...(typeof sagas === "string" ? [`sagas: ${sagas}`] : replayReport("sagas", sagas)),
    ...(typeof sagas !== "string" && sagas.upTo !== undefined
      ? [`  from line ${sagas.upTo} on, after a gap, reducers only`]
      : []),
  ].join("\n");
}
