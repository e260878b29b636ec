// Subjects of commits: `area: what changes`, at most 72 characters.
//
//   node scripts/commits/subjects.mjs            checks the history since the commit in pushed.json
//   node scripts/commits/subjects.mjs FILE       checks a message file, as git's commit-msg hook passes it
//   node scripts/commits/subjects.mjs --install  installs the hook, unless one exists or hooks are in another folder

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const MAX_LENGTH = 72;
const MAX_EXCEPTIONS = 5;
/** All worktrees share the hook; one without this script accepts any subject. */
const HOOK = `#!/bin/sh
script="$(git rev-parse --show-toplevel)/scripts/commits/subjects.mjs"
[ ! -e "$script" ] || exec node "$script" "$1"
`;

/** The fault of a subject, or null. */
export function faultOf(subject) {
  if (!/^[a-z0-9][\w./, -]*: \S/.test(subject)) return "it is not of the form `area: what changes`";
  const { length } = [...subject];
  return length > MAX_LENGTH ? `it has ${length} characters, at most ${MAX_LENGTH}` : null;
}

/** The subject of a message file, or null if git wrote it (a merge) or will drop it (a fixup). */
export function subjectOf(message) {
  const subject = message.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
  return subject === "" || /^(Merge |(fixup|squash|amend)! )/.test(subject) ? null : subject;
}

const gitIn = (folder) => (...args) =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trimEnd();

/** Git in the top folder of a work tree, otherwise null: a tarball may be inside another repository. */
function gitAt(folder) {
  try {
    const git = gitIn(folder);
    return resolve(git("rev-parse", "--show-toplevel")) === realpathSync(folder) ? git : null;
  } catch {
    return null;
  }
}

/** The faults of the commits since `since`. Without a history nothing is checked. */
export function historyFaults(folder, { since, exceptions }) {
  const faults = [];
  if (exceptions.length > MAX_EXCEPTIONS) faults.push(`${exceptions.length} exceptions, at most ${MAX_EXCEPTIONS}`);
  const git = gitAt(folder);
  if (git === null || git("rev-parse", "--is-shallow-repository") === "true") return faults;
  const commits = git("log", "--no-merges", "--format=%H %s", `${since}..HEAD`).split("\n").filter(Boolean);
  for (const line of commits) {
    const [hash, subject] = [line.slice(0, 40), line.slice(41)];
    const fault = faultOf(subject);
    if (fault !== null && !exceptions.some((one) => hash.startsWith(one))) faults.push(`${hash.slice(0, 10)} ${subject}: ${fault}`);
  }
  return faults;
}

/** Installs the hook for all worktrees of the repository. An existing hook or hooks folder is left unchanged. */
export function install(folder) {
  const git = gitAt(folder);
  if (git === null) return;
  const hooks = resolve(folder, git("rev-parse", "--git-common-dir"), "hooks");
  if (resolve(folder, git("rev-parse", "--git-path", "hooks")) !== hooks) return;
  const file = join(hooks, "commit-msg");
  if (existsSync(file)) return;
  mkdirSync(hooks, { recursive: true });
  writeFileSync(file, HOOK);
  chmodSync(file, 0o755);
}

function main([argument]) {
  const root = join(import.meta.dirname, "../..");
  if (argument === "--install") return install(root);
  let faults;
  if (argument === undefined) faults = historyFaults(root, JSON.parse(readFileSync(join(import.meta.dirname, "pushed.json"), "utf8")));
  else {
    const subject = subjectOf(readFileSync(argument, "utf8"));
    const fault = subject === null ? null : faultOf(subject);
    faults = fault === null ? [] : [`${subject}: ${fault}`];
  }
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv.slice(2));
