// Removes one access rule at a time from a copy of the checkout, and expects a test to fail.
// Usage: node worker/channel/tests/rules/try-each.mjs [PART OF A RULE | K/N, the Kth of N parts of the list].
// Exit status 1 names the rules that no test guards.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { RULES } from "./rules.mjs";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
/** Stored beside the checkout's own builds, so that the next run reuses this one. */
const TARGET = process.env.RULES_TARGET_DIR ?? join(ROOT, "target/rules");
/** The test that caught the previous rule runs first, since similar rules are adjacent in the list. */
const tests = [
  ["--package", "touchline-channel", "--test", "channel", "catalogue::"],
  ["--package", "touchline-channel", "--test", "channel", "accounts::"],
  ["--package", "touchline-store"],
  ["--package", "touchline-domain"],
  ["--package", "touchline-channel", "--lib"],
];

const copy = mkdtempSync(join(tmpdir(), "touchline-rules-"));
const cargo = (line) =>
  spawnSync("cargo", ["test", "--quiet", ...line], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, CARGO_TARGET_DIR: TARGET, CARGO_PROFILE_DEV_DEBUG: "0", RUST_BACKTRACE: "0" },
  });

/** The rules selected on the command line. */
function selected(which = "") {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(which) ?? [];
  if (parts === undefined) return RULES.filter(({ rule }) => rule.includes(which));
  return RULES.filter((_, index) => index % Number(parts) === Number(part) - 1);
}

/** Whether tests failed, rather than the compiler: code that doesn't compile proves nothing. */
function verdict({ status, stdout, stderr }) {
  if (status === 0) return "survived";
  if (/test result: FAILED|panicked at/.test(stdout + stderr)) return "caught";
  throw new Error(stderr.split("\n").filter((line) => /^error/.test(line)).join("\n") || stderr.slice(-2000));
}

/** The tests' result on the current copy, up to the first failure. */
function outcome() {
  for (const [place, test] of tests.entries()) {
    if (verdict(cargo(test)) === "survived") continue;
    tests.unshift(...tests.splice(place, 1));
    return "caught";
  }
  return "survived";
}

try {
  const listed = ["ls-files", "-z", "--", "worker", "fixtures/channels", "fixtures/contracts", "docs", "Cargo.toml", "Cargo.lock", "clippy.toml"];
  for (const file of execFileSync("git", listed, { cwd: ROOT, encoding: "utf8" }).split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  const wanted = selected(process.argv[2]);
  if (outcome() !== "survived") throw new Error("the tests fail with every rule in place");
  const unguarded = [];
  for (const { rule, file, cut, put } of wanted) {
    const path = join(copy, file);
    const whole = readFileSync(path, "utf8");
    if (whole.split(cut).length !== 2) throw new Error(`${rule}: its code does not occur exactly once in ${file}: ${cut}`);
    writeFileSync(path, whole.replace(cut, () => put));
    const result = outcome();
    writeFileSync(path, whole);
    console.log(`${result}  ${rule}`);
    if (result !== "caught") unguarded.push(rule);
  }
  console.log(`${wanted.length - unguarded.length} of ${wanted.length} rules are guarded by a test`);
  if (unguarded.length > 0) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
