import { spawnSync } from "node:child_process";
import build from "../package.json" with { type: "json" };

/** This tree's build as the worker names it: version and commit; the version alone where there is no repository. */
export function buildName(): string {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  return status === 0 ? `${build.version}+${stdout.trim()}` : build.version;
}
