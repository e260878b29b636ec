import { spawnSync } from "node:child_process";
import build from "../package.json" with { type: "json" };

const DIRTY = "-dirty";

export const git = (...args: readonly string[]) =>
  spawnSync("git", args, { cwd: import.meta.dirname, encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });

/**
 * This tree's build name in the worker's format: version and commit, with `-dirty` if the web's files differ from it;
 * only the version without a repository.
 */
export function buildName(): string {
  const { status, stdout } = git("rev-parse", "--short=12", "HEAD");
  if (status !== 0) return build.version;
  const isDirty = git("diff", "--quiet", "HEAD", "--", "..").status !== 0;
  return `${build.version}+${stdout.trim()}${isDirty ? DIRTY : ""}`;
}

/** The commit in a build name; empty without one. */
export const commitOf = (name: string): string => (name.split("+")[1] ?? "").replace(DIRTY, "");

const comparisons = new Map<string, boolean>();

/** Whether a build has what an accepted difference's build brought: that of a changed tree is in the commits after it. */
export function isSince(name: string, brought: string): boolean {
  const key = `${name} ${brought}`;
  // Each question starts a process, and a thousand sessions ask the same ones.
  const answer = comparisons.get(key) ?? isDescendant(name, brought);
  comparisons.set(key, answer);
  return answer;
}

function isDescendant(name: string, brought: string): boolean {
  if (name === brought) return true;
  const [commit, first] = [commitOf(name), commitOf(brought)];
  if (!/^[0-9a-f]{7,40}$/.test(commit) || (commit === first && brought.endsWith(DIRTY))) return false;
  return git("merge-base", "--is-ancestor", first, commit).status === 0;
}
