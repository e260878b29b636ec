import { stateHash } from "../eventlog/hash";
import { canonical } from "../eventlog/plain";
import { lineAt, lineNumber, type Recording, stateAt } from "./recording";

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

/** How source reads a slice of the state. */
const sliceOf = (name: string): string => (/^[a-z]\w*$/i.test(name) ? `state.${name}` : `state[${quoted(name)}]`);

/** A text of the file, as data: none of it is source. */
const quoted = (text: string): string => JSON.stringify(text);

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");

/**
 * What a case expects of the state: each slice that the step to `position` changed, whole, or its hash where it is too
 * long to stand in a test. A step that changed none has the hash of the whole state: no case expects nothing.
 */
function expectations(recording: Recording, position: number): { readonly lines: string[]; readonly hashes: boolean } {
  const before = stateAt(recording, position - 1) as unknown as Record<string, unknown>;
  const after = stateAt(recording, position) as unknown as Record<string, unknown>;
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  if (changed.length === 0) return { lines: [`expect(stateHash(state)).toBe("${stateHash(after)}");`], hashes: true };
  const isShort = (name: string): boolean => canonical(after[name]).length <= LONGEST_SLICE;
  return {
    lines: changed.map((name) =>
      isShort(name)
        ? `expect(${sliceOf(name)}).toEqual(${indented(after[name])});`
        : `expect(stateHash(${sliceOf(name)})).toBe("${stateHash(after[name])}");`,
    ),
    hashes: !changed.every(isShort),
  };
}

/**
 * A Vitest case of a recorded session: it is to replay the same, and to stand at `position` where it stood. The log
 * goes beside it, under the name that the case reads. What is missing of a session that replays in part stays so.
 */
export function testCase(recording: Recording, position: number, isPartial = false): string {
  const name = caseName(recording.name);
  const line = lineAt(recording, position);
  const title = line ? `line ${lineNumber(position)}, ${line.type}` : "line 1, its start";
  const { lines, hashes } = expectations(recording, position);
  return `// web/replay/${name}.test.ts; the log is fixtures/logs/reported/${name}.jsonl
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
${hashes ? 'import { stateHash } from "../src/eventlog/hash";\n' : ""}import { parseLog } from "../src/eventlog/parse";
import { replayLog } from "../src/eventlog/replay";
import { replayReducers } from "../src/eventlog/replay-reducers";
import { report } from "../src/eventlog/report";
import { program } from "../src/sagas/program";

const file = new URL("../../fixtures/logs/reported/${name}.jsonl", import.meta.url);
const log = parseLog(readFileSync(file, "utf8"));

it(${quoted(`${name} stands where it stood at ${title}`)}, () => {
  const { state } = replayReducers(program, { header: log.header, lines: log.lines.slice(0, ${position}) });
  ${lines.join("\n  ")}
});

it("${name} replays the same${isPartial ? " as far as it goes" : ""}", () => {
  const outcome = replayLog(program, log);
  expect(outcome.status, report("${name}", outcome, "this build")).toBe(${isPartial ? 3 : 0});
});
`;
}
