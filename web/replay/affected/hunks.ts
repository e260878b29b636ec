/** A changed range of a file. Without lines on one side, its line is the one before the change. */
export interface Hunk {
  readonly oldLine: number;
  readonly oldCount: number;
  readonly newLine: number;
  readonly newCount: number;
}

export interface FileDiff {
  /** null: a new file. */
  readonly oldFile: string | null;
  readonly hunks: readonly Hunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const NO_FILE = "/dev/null";

/** The options of `git diff` that `diffsIn` reads, whatever the caller's settings are. */
export const DIFF_OPTIONS = [
  "--unified=0",
  "--no-color",
  "--no-ext-diff",
  "--find-renames",
  "--src-prefix=a/",
  "--dst-prefix=b/",
] as const;

// A name with a space ends with a tab.
const pathIn = (line: string): string => line.slice(4).replace(/\t$/, "");

/** The changes in the output of `git diff`, by new path. Removed files aren't among them. */
export function diffsIn(output: string): Map<string, FileDiff> {
  const diffs = new Map<string, FileDiff>();
  let oldFile: string | null = null;
  let hunks: Hunk[] = [];
  // A removed line that starts with `-- ` looks like a name.
  let bodyLines = 0;
  for (const line of output.split("\n")) {
    if (bodyLines > 0) {
      if (/^[-+]/.test(line)) bodyLines -= 1;
      continue;
    }
    const hunk = HUNK.exec(line);
    if (hunk) {
      const [oldLine, oldCount, newLine, newCount] = hunk.slice(1).map((digits = "1") => Number(digits)) as [
        number,
        number,
        number,
        number,
      ];
      hunks.push({ oldLine, oldCount, newLine, newCount });
      bodyLines = oldCount + newCount;
    } else if (line.startsWith("--- ")) {
      oldFile = pathIn(line) === NO_FILE ? null : pathIn(line).slice("a/".length);
    } else if (line.startsWith("+++ ")) {
      hunks = [];
      if (pathIn(line) !== NO_FILE) diffs.set(pathIn(line).slice("b/".length), { oldFile, hunks });
    }
  }
  return diffs;
}

/** The old lines of a hunk. */
export const oldLines = ({ oldLine, oldCount }: Hunk): number[] =>
  Array.from({ length: oldCount }, (_, index) => oldLine + index);

/** The new lines of a hunk. */
export const newLines = ({ newLine, newCount }: Hunk): number[] =>
  Array.from({ length: newCount }, (_, index) => newLine + index);

/** The numbers that lines outside the hunks have in the new version. */
export function shifted(lines: Iterable<number>, hunks: readonly Hunk[]): number[] {
  const result: number[] = [];
  let offset = 0;
  let next = 0;
  for (const line of [...lines].sort((one, other) => one - other)) {
    for (; next < hunks.length; next++) {
      const { oldLine, oldCount, newCount } = hunks[next] as Hunk;
      const last = oldCount === 0 ? oldLine : oldLine + oldCount - 1;
      if (last >= line) break;
      offset += newCount - oldCount;
    }
    const hunk = hunks[next];
    if (!hunk || hunk.oldCount === 0 || line < hunk.oldLine) result.push(line + offset);
  }
  return result;
}
