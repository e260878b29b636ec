import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Earlier } from "../src/eventlog/compareFolds";
import type { AnyProgram } from "../src/eventlog/folding";
import type { PortErrorJson } from "../src/ports/error";
import { buildName, commitOf, git } from "./buildName";

const web = fileURLToPath(new URL("..", import.meta.url));
/** Inside the package, so that the bundles find its modules. */
const bundles = join(web, "node_modules/.cache/touchline-builds");

const EXPORTS = 'export { program } from "./src/sagas/program"; export { PortError } from "./src/ports/error";';

interface BuildExports {
  readonly program: AnyProgram;
  readonly PortError: new (error: PortErrorJson) => Error;
}

const builds = new Map<string, Promise<Earlier | undefined>>();

/**
 * The program of the build that recorded a log, from its commit in this repository, or the reason why it isn't known;
 * undefined if it is this build.
 */
export function earlierBuild(name: string): Promise<Earlier | undefined> {
  const result = builds.get(name) ?? find(name);
  builds.set(name, result);
  return result;
}

async function find(name: string): Promise<Earlier | undefined> {
  if (name === buildName() && !name.endsWith("-dirty")) return undefined;
  const commit = commitOf(name);
  if (!/^[0-9a-f]{7,40}$/.test(commit)) return { unknown: `the build name ${name} has no commit` };
  const full = git("rev-parse", "--quiet", "--verify", `${commit}^{commit}`).stdout.trim();
  if (full === "") return { unknown: `this repository does not have the commit ${commit}; fetch it first` };
  if (!isOfThisTree(full)) return { unknown: `the commit ${commit} is on no branch of this repository` };
  try {
    return { program: await programOf(full) };
  } catch (error) {
    return { unknown: `the commit ${commit} cannot be built: ${(error as Error).message}` };
  }
}

/** A report may name any commit: only one that somebody merged or checked out here is run. */
const isOfThisTree = (commit: string): boolean =>
  git("merge-base", "--is-ancestor", commit, "HEAD").status === 0 ||
  git("for-each-ref", "--contains", commit, "refs/heads", "refs/tags").stdout !== "";

async function programOf(commit: string): Promise<AnyProgram> {
  const file = join(bundles, `${commit}.cjs`);
  if (!existsSync(file)) await bundle(commit, file);
  const { program, PortError } = createRequire(import.meta.url)(file) as BuildExports;
  return { ...program, portError: (error) => new PortError(error) };
}

async function bundle(commit: string, file: string): Promise<void> {
  const sources = mkdtempSync(join(tmpdir(), "touchline-build-"));
  try {
    const archive = execFileSync("git", ["archive", commit, "src"], { cwd: web, maxBuffer: 1 << 30 });
    execFileSync("tar", ["-x", "-C", sources], { input: archive });
    mkdirSync(bundles, { recursive: true });
    // Another process may write the same bundle.
    const written = `${file}.${process.pid}`;
    await build({
      stdin: { contents: EXPORTS, resolveDir: sources },
      bundle: true,
      platform: "node",
      format: "cjs",
      packages: "external",
      keepNames: true,
      sourcemap: "inline",
      logLevel: "silent",
      outfile: written,
    });
    renameSync(written, file);
  } finally {
    rmSync(sources, { recursive: true });
  }
}
