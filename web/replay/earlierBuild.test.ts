import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { parseLog } from "../src/eventlog/parse";
import { logText } from "../src/eventlog/testing/logText";
import { program } from "../src/sagas/program";
import { earlierBuild } from "./earlierBuild";
import { replayFile } from "./replayFile";
import { committedLog } from "./testing/recordings";
import { silentProgram } from "./testing/silentProgram";
import { sourceIn } from "./tracePuts";

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" }).trim();
const head = git("rev-parse", "HEAD");

const folder = mkdtempSync(join(tmpdir(), "touchline-earlier-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Replays a committed log as if the newest commit had recorded it. */
function replayOf(today: typeof program) {
  const { header, lines } = parseLog(committedLog("purchase-declined"));
  // The checkout's own build isn't compared with itself.
  writeFileSync(join(folder, "declined.jsonl"), logText({ ...header, build: `0.1.0+${head}` }, lines));
  return replayFile(today, { file: "declined.jsonl", folder, build: "later", withEarlier: true });
}

describe("the build that recorded a log", () => {
  it("replays it the same, from its commit", async () => {
    expect((await replayOf(program)).text).toMatch(/^recording build: same, \d+ actions folded by both builds$/m);
  });

  it("differs from one with another reducer at the action, and names the value", async () => {
    const { text, summary } = await replayOf(silentProgram);
    expect(summary).toMatchObject({
      status: 1,
      replayed: {
        builds: { divergence: { changes: [{ path: "purchase.message", was: "Your card was declined.", is: "" }] } },
      },
    });
    expect(text).toMatch(
      /after purchase\/orderSeen, .*\n {2}purchase\.message: was "Your card was declined\.", is ""\n/,
    );
  });

  it.each([
    ["0.1.0", "the build name 0.1.0 has no commit"],
    ["0.1.0+--help", "the build name 0.1.0+--help has no commit"],
    ["0.1.0+000000000000", "this repository does not have the commit 000000000000; fetch it first"],
  ])("isn't known for %s", async (name, unknown) => {
    expect(await earlierBuild(name)).toEqual({ unknown });
  });

  it("isn't run from a commit that is on no branch", async () => {
    // The commit is written beside the repository.
    const objects = git("rev-parse", "--path-format=absolute", "--git-path", "objects");
    vi.stubEnv("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects);
    vi.stubEnv("GIT_OBJECT_DIRECTORY", folder);
    const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    const unmerged = git(...identity, "commit-tree", "-m", "unmerged", `${head}^{tree}`);
    expect(await earlierBuild(`0.1.0+${unmerged}`)).toEqual({
      unknown: `the commit ${unmerged} is on no branch of this repository`,
    });
  });
});

// Vitest maps positions itself: this starts the command line.
it("the source line of a put is in the command line's report", () => {
  const { header, lines } = parseLog(committedLog("purchase-declined"));
  const wrong = lines.map((line) =>
    line.type === "purchase/orderSeen" ? { ...line, payload: { ...(line.payload as object), status: "paid" } } : line,
  );
  const file = join(folder, "forged.jsonl");
  writeFileSync(file, logText(header, wrong as typeof lines));
  const args = ["--import", "tsx", "replay/cli.ts", file];
  const { stdout } = spawnSync(process.execPath, args, { cwd: join(import.meta.dirname, ".."), encoding: "utf8" });
  expect(stdout).toContain('\n  purchase.at: was "succeeded", is "processing"\n');
  expect(stdout).toMatch(/^ {2}is put at src\/sagas\/purchaseSteps\.ts:\d+ \(reportOrder\)$/m);
});

it("the place in a stack is the first of the product's code outside the log", () => {
  const stack = (...frames: string[]) => ["Error: put", ...frames.map((frame) => `    at ${frame}`)].join("\n");
  expect(
    sourceIn(
      stack(
        "effects.put (/w/web/replay/tracePuts.ts:33:19)",
        "put.next (<anonymous>)",
        "follow.next (file:///w/web/src/sagas/purchase.ts:44:12)",
        "supervise (/w/web/src/sagas/supervise.ts:9:1)",
      ),
    ),
  ).toBe("src/sagas/purchase.ts:44 (follow)");
  expect(sourceIn(stack("/w/web/src/sagas/auth.ts:25:1"))).toBe("src/sagas/auth.ts:25");
  expect(sourceIn(stack("run (/w/web/src/eventlog/rerun.ts:1:1)"))).toBeUndefined();
});
