import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RecordedBuild, StoredSession } from "./coverageCache";
import type { FileRanges } from "./coverageRecorder";
import { DIFF_OPTIONS, diffsIn, type Hunk, newLines, oldLines, shifted } from "./hunks";
import { linesIn, rangesText } from "./lineRanges";

/** A changed range of a file with code, between two builds. */
interface CodeHunk extends Hunk {
  /** Lines of the old build. A session that runs one of them may run others on the new one. */
  readonly touched: readonly number[];
}

/** Takes recordings of an earlier build over to another. */
export interface Transfer {
  /** The lines on the new build; undefined: the session has to be recorded again. */
  move(session: StoredSession): StoredSession | undefined;
}

const linesOf = (ranges: FileRanges, file: string): Set<number> => linesIn(ranges[file] ?? "");

/** The changes between the texts of two builds, by file. */
function hunksBetween(before: RecordedBuild, after: RecordedBuild): Map<string, readonly Hunk[]> {
  const changed = Object.keys(after.texts).filter(
    (file) => before.texts[file] !== undefined && before.texts[file] !== after.texts[file],
  );
  if (changed.length === 0) return new Map();
  const folder = mkdtempSync(join(tmpdir(), "touchline-affected-"));
  try {
    for (const [name, { texts }] of [
      ["a", before],
      ["b", after],
    ] as const)
      for (const file of changed) {
        mkdirSync(dirname(join(folder, name, file)), { recursive: true });
        writeFileSync(join(folder, name, file), texts[file] as string);
      }
    const options = { cwd: folder, encoding: "utf8", maxBuffer: 1 << 30 } as const;
    const args = ["-c", "core.quotePath=false", "diff", "--no-index", ...DIFF_OPTIONS, "--no-renames", "a", "b"];
    return new Map(
      [...diffsIn(differing(() => execFileSync("git", args, options)))].map(([file, { hunks }]) => [
        file.slice("b/".length),
        hunks,
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The output of a comparison, which fails with status 1 if there are differences. */
function differing(compare: () => string): string {
  try {
    return compare();
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string };
    if (status !== 1 || stdout === undefined) throw error;
    return stdout;
  }
}

/** A hunk with the old lines that decide whether a session runs it: those around an insertion decide too. */
function codeHunk(hunk: Hunk, before: ReadonlySet<number>, after: ReadonlySet<number>): CodeHunk | undefined {
  const replaced = oldLines(hunk).filter((line) => before.has(line));
  if (replaced.length === 0 && !newLines(hunk).some((line) => after.has(line))) return undefined;
  if (replaced.length > 0) return { ...hunk, touched: replaced };
  const first = hunk.oldCount === 0 ? hunk.oldLine + 1 : hunk.oldLine;
  const previous = Math.max(...[...before].filter((line) => line < first));
  const next = Math.min(...[...before].filter((line) => line >= first));
  return { ...hunk, touched: [previous, next] };
}

/**
 * The transfer of recordings between two builds. A replay is deterministic: a session that runs no changed line on the
 * old build runs the same lines on the new one. A changed line that runs as its module loads may change any session.
 */
export function transferBetween(before: RecordedBuild, after: RecordedBuild): Transfer {
  const all = hunksBetween(before, after);
  const touched = new Map<string, readonly number[]>();
  for (const [file, hunks] of all) {
    const [codeBefore, codeAfter] = [linesOf(before.code, file), linesOf(after.code, file)];
    const [loadedBefore, loadedAfter] = [linesOf(before.loaded, file), linesOf(after.loaded, file)];
    const isLoaded = (hunk: Hunk): boolean =>
      oldLines(hunk).some((line) => loadedBefore.has(line)) || newLines(hunk).some((line) => loadedAfter.has(line));
    if (hunks.some(isLoaded)) return { move: () => undefined };
    touched.set(
      file,
      hunks.flatMap((hunk) => codeHunk(hunk, codeBefore, codeAfter)?.touched ?? []),
    );
  }
  return {
    move({ lines, isCut }) {
      const moved: Record<string, string> = {};
      for (const [file, ranges] of Object.entries(lines)) {
        const hunks = all.get(file);
        if (after.texts[file] === undefined) return undefined;
        if (!hunks) {
          moved[file] = ranges;
          continue;
        }
        const run = linesIn(ranges);
        if (touched.get(file)?.some((line) => run.has(line))) return undefined;
        moved[file] = rangesText(shifted(run, hunks));
      }
      return { lines: moved, isCut };
    },
  };
}
