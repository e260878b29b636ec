import { stateHash } from "../eventlog/hash";
import { canonical } from "../eventlog/plain";
import { lineAt, lineNumber, type Recording, stateAt } from "./recording";

/** Maximum length of a slice in a test case; a longer one is represented by its hash. */
const MAX_SLICE_LENGTH = 2_000;

/** A file name such as `fieldhouse-2026-11-21`. */
export const caseName = (file: string): string =>
  file
    .replace(/\.jsonl$/i, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80) || "session";

const sliceOf = (name: string): string => (/^[a-z]\w*$/i.test(name) ? `state.${name}` : `state[${quoted(name)}]`);

/** A quoted string, so that none of the file's text becomes code. */
const quoted = (text: string): string => JSON.stringify(text);

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");

/**
 * A test case's assertions: each slice changed by the step to `position`, or its hash if it is too long. A step without
 * changes asserts the hash of the whole state.
 */
function expectations(recording: Recording, position: number): { readonly lines: string[]; readonly hashes: boolean } {
  const before = stateAt(recording, position - 1) as unknown as Record<string, unknown>;
  const after = stateAt(recording, position) as unknown as Record<string, unknown>;
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  if (changed.length === 0) return { lines: [`expect(stateHash(state)).toBe("${stateHash(after)}");`], hashes: true };
  const isShort = (name: string): boolean => canonical(after[name]).length <= MAX_SLICE_LENGTH;
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
 * A Vitest case for a recorded session: the replay must match, up to the state at `position`. The case reads the log
 * from a file beside it. Missing parts of a partly replayed session stay missing.
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
