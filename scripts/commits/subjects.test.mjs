import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { faultOf, historyFaults, install, subjectOf } from "./subjects.mjs";

const PLAIN = "worker: drop the umbrella crate";

describe("a subject", () => {
  it("names an area and the change", () => {
    for (const subject of [PLAIN, "web/e2e: group journeys", "worker, web: rename a call"]) assert.equal(faultOf(subject), null);
    for (const subject of ["Drop the umbrella crate", "worker:drop", "worker: ", "Worker: drop", ": drop"])
      assert.match(faultOf(subject), /area/, subject);
  });

  it("has at most 72 characters, regardless of bytes", () => {
    assert.equal(faultOf(`area: ${"é".repeat(66)}`), null);
    assert.match(faultOf(`area: ${"é".repeat(67)}`), /73 characters/);
  });

  it("is the first line of a message, unless git wrote it or will drop it", () => {
    assert.equal(subjectOf(`# comment\n\n${PLAIN}\n\nbody\n`), PLAIN);
    for (const message of ["", "# all\n", "Merge branch 'a'", "fixup! Anything"]) assert.equal(subjectOf(message), null);
  });
});

describe("a repository", () => {
  let folder;
  // Isolated from the caller's git: its settings, and the repository of a hook that runs these tests.
  const env = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
  const AUTHOR = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  const git = (...args) => execFileSync("git", ["-C", folder, ...AUTHOR, ...args], { encoding: "utf8", env, stdio: "pipe" }).trim();
  const commit = (subject) => {
    const { status } = spawnSync("git", ["-C", folder, ...AUTHOR, "commit", "--allow-empty", "-m", subject], { env });
    return status === 0 ? git("rev-parse", "HEAD") : null;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "subjects-"));
    git("init", "-q");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is checked since a commit, with exceptions", () => {
    commit("Old subjects pass");
    const since = commit("The last of them");
    commit(PLAIN);
    const faulty = commit("No area");
    assert.match(historyFaults(folder, { since, exceptions: [] }).join("\n"), /^\w{10} No area: [^\n]*$/);
    assert.deepEqual(historyFaults(folder, { since, exceptions: [faulty.slice(0, 10)] }), []);
    assert.equal(historyFaults(folder, { since, exceptions: [faulty, "1", "2", "3", "4", "5"] }).length, 1);
  });

  it("passes without a history: as a shallow clone, a tarball, or a tarball inside another repository", () => {
    commit("No area");
    commit("No area again");
    const shallow = join(folder, "shallow");
    git("clone", "-q", "--depth", "1", `file://${folder}`, shallow);
    const inside = join(folder, "tarball");
    mkdirSync(inside);
    for (const clone of [shallow, inside, "/"]) assert.deepEqual(historyFaults(clone, { since: "b04ef7c0", exceptions: [] }), []);
  });

  it("refuses a commit once the hook is installed, but accepts any if the script is missing", () => {
    install(folder);
    assert.notEqual(commit("No area"), null);
    const scripts = join(folder, "scripts/commits");
    cpSync(import.meta.dirname, scripts, { recursive: true });
    assert.equal(commit("No area"), null);
    assert.notEqual(commit(PLAIN), null);
    git("worktree", "add", "-q", join(folder, "tree"));
    install(join(folder, "tree"));
    assert.notEqual(git("-C", join(folder, "tree"), "commit", "-q", "--allow-empty", "-m", PLAIN), null);
  });

  it("leaves an existing hook or hooks folder unchanged", () => {
    const hook = join(folder, ".git/hooks/commit-msg");
    writeFileSync(hook, "#!/bin/sh\n");
    install(folder);
    assert.equal(readFileSync(hook, "utf8"), "#!/bin/sh\n");
    rmSync(hook);
    git("config", "core.hooksPath", "elsewhere");
    install(folder);
    assert.ok(!existsSync(hook) && !existsSync(join(folder, "elsewhere")));
  });
});
