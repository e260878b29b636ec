import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actionLines } from "../replay/testing/actionLines";
import { parseLog } from "../src/eventlog/parse";

// Lists the recorded sessions' actions that differ between a commit and this tree.
// npm run log-changes [-- COMMIT]: a diff, one action per line; COMMIT defaults to HEAD
const commit = process.argv[2] ?? "HEAD";
const web = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "touchline-log-changes-"));
const at = (...path: string[]): string => join(work, ...path);

/** Records every session with the build in a `web` folder. */
function recordAll(folder: string, into: string): void {
  execFileSync(process.execPath, ["--import", "tsx", "replay/record.ts", "--all", into], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Writes the actions of each log of a folder, as text, beside it. */
function writeActions(folder: string, into: string): void {
  mkdirSync(into);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    const { lines } = parseLog(readFileSync(join(folder, file), "utf8"));
    writeFileSync(join(into, file.replace(".jsonl", ".txt")), actionLines(lines).join("\n").concat("\n"));
  }
}

try {
  mkdirSync(at("tree"));
  mkdirSync(at("before"));
  const archive = execFileSync("git", ["archive", commit, "web", "fixtures"], {
    cwd: join(web, ".."),
    maxBuffer: 1 << 30,
  });
  execFileSync("tar", ["-x", "-C", at("tree")], { input: archive });
  symlinkSync(join(web, "node_modules"), at("tree/web/node_modules"));
  recordAll(at("tree/web"), at("before"));
  // The commit's own logs count, not those its build would record.
  cpSync(at("tree/fixtures/logs"), at("before"), { recursive: true });
  recordAll(web, at("after"));
  writeActions(at("before"), at(commit.replaceAll("/", "-")));
  writeActions(at("after"), at("now"));
  const differ = ["diff", "--no-index", "--no-prefix", "--unified=2"];
  const { status } = spawnSync("git", [...differ, commit.replaceAll("/", "-"), "now"], { cwd: work, stdio: "inherit" });
  if (status === 0) console.log(`no action differs from those of ${commit}`);
} finally {
  rmSync(work, { recursive: true });
}
