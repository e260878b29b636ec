import { spawnSync } from "node:child_process";
import build from "../package.json" with { type: "json" };

/** This tree's build name in the worker's format: version and commit; only the version without a repository. */
export function buildName(): string {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  return status === 0 ? `${build.version}+${stdout.trim()}` : build.version;
}
