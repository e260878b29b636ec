import { stripVTControlCharacters } from "node:util";

/** A failed test in the output of nextest, of cargo's own runner or of Playwright. */
const PATTERNS = [
  /^ +(?:FAIL|TIMEOUT|ABORT|SIG[A-Z]+) \[[^\]]*\] +(?:\([^)]*\) +)?(.+)$/gm,
  /^---- (\S+) stdout ----$/gm,
  /^ +\d+\) \[\w+\] › (?:e2e\/)?(.+?) ─*$/gm,
];

/** The names of the failed tests, each once; a target that failed without one is named itself. */
export function failuresOf(output: string, target: string): string[] {
  const plain = stripVTControlCharacters(output);
  const names = PATTERNS.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, name = ""]) => name.trim()));
  return names.length > 0 ? [...new Set(names)] : [`make ${target}`];
}
