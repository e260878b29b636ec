import { stateHash } from "../eventlog/hash";
import { canonical } from "../eventlog/plain";
import { turnAt } from "../eventlog/rerun";
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

const changedSlices = (before: object, after: object): string[] =>
  Object.entries(after).flatMap(([name, slice]) => ((before as Record<string, unknown>)[name] === slice ? [] : [name]));

/**
 * A test case's assertions: each slice that the step to `position` changed, or else its turn, as it was at the turn's
 * end, or its hash if it is too long. A turn without changes asserts the hash of the whole state.
 */
function expectations(recording: Recording, position: number): { readonly lines: string[]; readonly hashes: boolean } {
  const { from, to } = turnAt(recording.log.lines, position);
  const after = stateAt(recording, to) as unknown as Record<string, unknown>;
  const byStep = changedSlices(stateAt(recording, position - 1), stateAt(recording, position));
  const changed = byStep.length > 0 ? byStep : changedSlices(stateAt(recording, from), after);
  if (changed.length === 0)
    return { lines: [`expect(stateHash(state), seen).toBe("${stateHash(after)}");`], hashes: true };
  const isShort = (name: string): boolean => canonical(after[name]).length <= MAX_SLICE_LENGTH;
  return {
    lines: changed.map((name) =>
      isShort(name)
        ? `expect(${sliceOf(name)}, seen).toEqual(${indented(after[name])});`
        : `expect(stateHash(${sliceOf(name)}), seen).toBe("${stateHash(after[name])}");`,
    ),
    hashes: !changed.every(isShort),
  };
}

/**
 * A Vitest case for a recorded session: this build's sagas, given the session's inputs and answers, must reach the state
 * at `position`. The case reads the log from a file.
 */
export function testCase(recording: Recording, position: number): string {
  const name = caseName(recording.name);
  const line = lineAt(recording, position);
  const title = line ? `line ${lineNumber(position)}, ${line.type}` : "line 1, the page load";
  const { lines, hashes } = expectations(recording, position);
  return `// web/replay/${name}.test.ts; the log is fixtures/logs/reported/${name}.jsonl
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
${hashes ? 'import { stateHash } from "../src/eventlog/hash";\n' : ""}import { parseLog } from "../src/eventlog/parse";
import { rerun } from "../src/eventlog/rerun";
import { program } from "../src/sagas/program";

const file = new URL("../../fixtures/logs/reported/${name}.jsonl", import.meta.url);
const log = parseLog(readFileSync(file, "utf8"));

it(${quoted(`${name} reaches the expected state at ${title}`)}, () => {
  const { state, notes } = rerun(program, log, ${lineNumber(position)});
  const seen = notes.join("\\n");
  ${lines.join("\n  ")}
});
`;
}
