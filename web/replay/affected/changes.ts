import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DIFF_OPTIONS, diffsIn, type FileDiff, newLines, oldLines } from "./hunks";
import { codeLines, hasContent } from "./sourceLines";

/** A fault of the caller or the repository, which a message explains. */
export class UsageError extends Error {}

const MAX_OUTPUT = 1 << 30;
const MAIN = ["main", "origin/main"] as const;
/** Code that viewers run. */
const PRODUCT = /^src\/.*\.tsx?$/;
const NOT_PRODUCT = /\.test\.tsx?$|\.d\.ts$|\/testing\/|^src\/(?:journeys|contracts\/generated)\//;

/** The changed lines of one file. */
export interface ChangedFile {
  /** Changed lines with code, and the first line behind each removal. */
  readonly lines: ReadonlySet<number>;
  /** Those behind a removal. */
  readonly removals: ReadonlySet<number>;
}

export interface Changes {
  /** The commit, abbreviated. */
  readonly since: string;
  /** By path such as `src/sagas/auth.ts`. */
  readonly files: ReadonlyMap<string, ChangedFile>;
}

const git = (folder: string, args: readonly string[]): string =>
  execFileSync("git", ["-c", "core.quotePath=false", ...args], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT,
    stdio: ["ignore", "pipe", "pipe"],
  });

/** The object of a revision, or undefined. */
function resolved(folder: string, revision: string): string | undefined {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--quiet", "--verify", "--end-of-options", revision], {
    cwd: folder,
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** The commit to compare with: the requested one, else where the branch left main, else the last. */
function baseOf(folder: string, since: string | undefined): string {
  if (since !== undefined) {
    const commit = resolved(folder, `${since}^{tree}`) && resolved(folder, since);
    if (commit === undefined) throw new UsageError(`this repository does not have the commit ${since}; fetch it first`);
    return commit;
  }
  const head = resolved(folder, "HEAD^{commit}");
  if (head === undefined) throw new UsageError("this is no git repository with a commit: nothing to compare with");
  const main = MAIN.find((name) => resolved(folder, `${name}^{commit}`) !== undefined);
  if (main === undefined) return head;
  const { status, stdout } = spawnSync("git", ["merge-base", main, "HEAD"], { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : head;
}

/** The changed lines of the product in a package's folder: those of the commits since, and of the working tree. */
export async function changesSince(web: string, revision: string | undefined): Promise<Changes> {
  const since = baseOf(web, revision);
  const diffs = diffsIn(git(web, ["diff", "--relative", ...DIFF_OPTIONS, since, "--", "src"]));
  const untracked = git(web, ["ls-files", "-z", "--others", "--exclude-standard", "--", "src"]).split("\0");
  const files = new Map<string, ChangedFile>();
  const isProduct = (file: string): boolean => PRODUCT.test(file) && !NOT_PRODUCT.test(file);
  for (const [file, diff] of diffs) {
    if (!isProduct(file) || !existsSync(join(web, file))) continue;
    const oldText = diff.oldFile === null ? "" : git(web, ["show", `${since}:./${diff.oldFile}`]);
    files.set(file, await changedLines(file, diff, oldText, readFileSync(join(web, file), "utf8")));
  }
  for (const file of untracked.filter(isProduct)) {
    const text = readFileSync(join(web, file), "utf8");
    const hunks = [{ oldLine: 0, oldCount: 0, newLine: 1, newCount: text.split("\n").length }];
    files.set(file, await changedLines(file, { oldFile: null, hunks }, "", text));
  }
  return {
    since: since.slice(0, 12),
    files: new Map(
      [...files].filter(([, { lines }]) => lines.size > 0).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
}

/** Comments, types and brackets aren't counted: a change of these runs nothing. */
async function changedLines(file: string, diff: FileDiff, oldText: string, newText: string): Promise<ChangedFile> {
  const [before, after] = [await codeLines(diff.oldFile ?? file, oldText), await codeLines(file, newText)];
  const [oldTexts, newTexts] = [oldText.split("\n"), newText.split("\n")];
  const isCode = (code: ReadonlySet<number>, texts: readonly string[]) => (line: number) =>
    code.has(line) && hasContent(texts[line - 1]);
  const ordered = [...after].sort((one, other) => one - other);
  const lines = new Set<number>();
  const removals = new Set<number>();
  for (const hunk of diff.hunks) {
    const changed = newLines(hunk).filter(isCode(after, newTexts));
    for (const line of changed) lines.add(line);
    if (changed.length > 0 || !oldLines(hunk).some(isCode(before, oldTexts))) continue;
    // The token behind removed code runs if that would have: brackets count too.
    const behind = ordered.find((line) => line >= hunk.newLine + (hunk.newCount === 0 ? 1 : hunk.newCount));
    if (behind !== undefined) removals.add(behind);
  }
  for (const line of removals) if (lines.has(line)) removals.delete(line);
  return { lines: new Set([...lines, ...removals]), removals };
}
