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
import { addRealm, bundleScreens, realmHash } from "./screens/bundleScreens";

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
  const recorded = commitOfBuild(name);
  if (recorded === undefined || "unknown" in recorded) return recorded;
  const { commit } = recorded;
  try {
    return { program: await programOf(commit) };
  } catch (error) {
    return { unknown: cannotBeBuilt(commit, error) };
  }
}

const cannotBeBuilt = (commit: string, error: unknown): string =>
  `the commit ${commit} cannot be built: ${(error as Error).message}`;

/** The full commit of a build in this repository, or the reason why there is none; undefined for this build. */
function commitOfBuild(name: string): { readonly commit: string } | { readonly unknown: string } | undefined {
  if (name === buildName() && !name.endsWith("-dirty")) return undefined;
  const commit = commitOf(name);
  if (!/^[0-9a-f]{7,40}$/.test(commit)) return { unknown: `the build name ${name} has no commit` };
  const full = git("rev-parse", "--quiet", "--verify", `${commit}^{commit}`).stdout.trim();
  if (full === "") return { unknown: `this repository does not have the commit ${commit}; fetch it first` };
  if (!isOfThisTree(full)) return { unknown: `the commit ${commit} is on no branch of this repository` };
  return { commit: full };
}

/** A report may name any commit: only one that somebody merged or checked out here is run. */
const isOfThisTree = (commit: string): boolean =>
  git("merge-base", "--is-ancestor", commit, "HEAD").status === 0 ||
  git("for-each-ref", "--contains", commit, "refs/heads", "refs/tags").stdout !== "";

async function programOf(commit: string): Promise<AnyProgram> {
  const file = await bundled(commit, `${commit}.cjs`, (sources, outfile) =>
    build({
      stdin: { contents: EXPORTS, resolveDir: sources },
      bundle: true,
      platform: "node",
      format: "cjs",
      packages: "external",
      keepNames: true,
      sourcemap: "inline",
      logLevel: "silent",
      outfile,
    }),
  );
  const { program, PortError } = createRequire(import.meta.url)(file) as BuildExports;
  return { ...program, portError: (error) => new PortError(error) };
}

/** The bundle of an earlier build's screens, for `openScreens`, or the reason why there is none. */
export async function earlierScreens(name: string): Promise<{ readonly file: string } | { readonly unknown: string }> {
  const recorded = commitOfBuild(name) ?? { unknown: "it is this build" };
  if ("unknown" in recorded) return recorded;
  const { commit } = recorded;
  try {
    const write = async (sources: string, outfile: string): Promise<void> => {
      addRealm(sources);
      await bundleScreens(sources, outfile);
    };
    return { file: await bundled(commit, `${commit}-${realmHash()}.screens.js`, write) };
  } catch (error) {
    return { unknown: cannotBeBuilt(commit, error) };
  }
}

/** A bundle of a commit, written once; returns its file. */
async function bundled(
  commit: string,
  name: string,
  write: (sources: string, outfile: string) => Promise<unknown>,
): Promise<string> {
  const file = join(bundles, name);
  if (existsSync(file)) return file;
  const sources = mkdtempSync(join(tmpdir(), "touchline-build-"));
  try {
    const archive = execFileSync("git", ["archive", commit, "src"], { cwd: web, maxBuffer: 1 << 30 });
    execFileSync("tar", ["-x", "-C", sources], { input: archive });
    mkdirSync(bundles, { recursive: true });
    // Another process may write the same bundle.
    const written = `${file}.${process.pid}`;
    await write(sources, written);
    renameSync(written, file);
    return file;
  } finally {
    rmSync(sources, { recursive: true });
  }
}
