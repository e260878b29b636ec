import { fileLine } from "../eventlog/parse";
import { canonical } from "../eventlog/plain";
import { lineAt, type Recording, stateAt } from "./recording";

/** The most of a slice that a case holds: beyond it the file is the better place to look. */
const LONGEST_SLICE = 2_000;

/** A name that can be a file's: `fieldhouse-2026-11-21`. */
export const caseName = (file: string): string =>
  file
    .replace(/\.jsonl$/i, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80) || "session";

/** The slices that the step to `position` changed, as far as they are short enough to stand in a test. */
function changedSlices(recording: Recording, position: number): Record<string, unknown> {
  const before = stateAt(recording, position - 1) as unknown as Record<string, unknown>;
  const after = stateAt(recording, position) as unknown as Record<string, unknown>;
  const changed = Object.entries(after).filter(
    ([name, slice]) => slice !== before[name] && canonical(slice).length <= LONGEST_SLICE,
  );
  return Object.fromEntries(changed);
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");

/**
 * A Vitest case of a recorded session: it is to replay the same, and to stand at `position` where it stood. The log
 * goes beside it, under the name that the case reads.
 */
export function testCase(recording: Recording, position: number): string {
  const name = caseName(recording.name);
  const line = lineAt(recording, position);
  const title = line ? `line ${fileLine(position - 1)}, ${line.type}` : "its start";
  return `// web/replay/${name}.test.ts; the log is fixtures/logs/reported/${name}.jsonl
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseLog } from "../src/eventlog/parse";
import { replayLog } from "../src/eventlog/replay";
import { replayReducers } from "../src/eventlog/replay-reducers";
import { report } from "../src/eventlog/report";
import { program } from "../src/sagas/program";

const file = new URL("../../fixtures/logs/reported/${name}.jsonl", import.meta.url);
const log = parseLog(readFileSync(file, "utf8"));

it("${name} stands where it stood at ${title}", () => {
  const { state } = replayReducers(program, { header: log.header, lines: log.lines.slice(0, ${position}) });
  expect(state).toMatchObject(${indented(changedSlices(recording, position))});
});

it("${name} replays the same", () => {
  const outcome = replayLog(program, log);
  expect(outcome.status, report("${name}", outcome, "this build")).toBe(0);
});
`;
}
