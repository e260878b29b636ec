import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actions, probeProgram } from "../src/eventlog/testing/probe-program";
import { startSession } from "../src/eventlog/testing/session";
import { settled } from "../src/eventlog/testing/virtual-time";
import { run } from "./run";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "touchline-replay-"));
  const session = startSession();
  await settled();
  session.store.dispatch(actions.order.payPressed());
  await session.time.pass(9000);
  const log = session.log();
  const lines = log.split("\n");
  const forged = log.replace('"type":"order/placed"', '"type":"order/gaveUp"');
  const files = {
    "same.jsonl": log,
    "forged.jsonl": forged,
    "headless.jsonl": lines.slice(1).join("\n"),
    "newer.jsonl": log.replace('"v":1', '"v":2'),
    "broken.jsonl": `${lines.slice(0, 3).join("\n")}\n{"seq":`,
    "misshapen.jsonl": log.replace('"kind":"action"', '"kind":"deed"'),
    "shorter.jsonl": [...lines.slice(0, 2), ...lines.slice(3)].join("\n"),
    "empty.jsonl": "",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});

afterAll(() => rm(folder, { recursive: true }));

async function replay(...args: string[]) {
  const out: string[] = [];
  const status = await run(probeProgram, args, {
    folder,
    build: "later",
    out: (text) => void out.push(text),
    error: (text) => void out.push(text),
  });
  return { status, out: out.join("\n") };
}

describe("the replayer", () => {
  it("exits with 0 for a log that replays the same", async () => {
    const { status, out } = await replay("same.jsonl");
    expect(out).toMatch(
      /^same\.jsonl: same \(\d+ lines, recorded by test, replayed by later\)\nreducers: same.*\nsagas: same/,
    );
    expect(status).toBe(0);
  });

  it("exits with 1 for one that diverged, and shows where", async () => {
    const { status, out } = await replay("forged.jsonl");
    expect(out).toContain("the sagas dispatched another action (different-action)");
    expect(out).toContain('expected: {"type":"order/gaveUp"');
    expect(out).toContain('got:      {"type":"order/placed"');
    expect(status).toBe(1);
  });

  it("exits with 1 for one that misses a line", async () => {
    expect((await replay("shorter.jsonl")).status).toBe(1);
  });

  it.each([
    ["headless.jsonl", 'line 1: no header of format "touchline-log"'],
    ["newer.jsonl", "line 1: version 2 is unknown; this build reads 1"],
    ["broken.jsonl", "line 4: not JSON"],
    ["misshapen.jsonl", '"kind" is missing or malformed'],
    ["empty.jsonl", "line 1: "],
    ["absent.jsonl", "ENOENT"],
  ])("exits with 2 for %s, and says why", async (file, why) => {
    const { status, out } = await replay(file);
    expect(out).toContain(why);
    expect(status).toBe(2);
  });

  it("replays every file and exits with the worst status", async () => {
    const { status, out } = await replay("broken.jsonl", "same.jsonl", "forged.jsonl");
    expect(out).toContain("same.jsonl: same");
    expect(out).toContain("forged.jsonl: diverged");
    expect(status).toBe(2);
    expect((await replay("forged.jsonl", "same.jsonl")).status).toBe(1);
  });

  it("leaves the sagas out if asked to", async () => {
    const { status, out } = await replay("--reducers-only", "same.jsonl");
    expect(out).toContain("sagas: left out, as asked");
    expect(status).toBe(0);
  });

  it("explains itself if called wrongly", async () => {
    expect(await replay()).toMatchObject({ status: 2, out: expect.stringContaining("usage:") });
    expect(await replay("--fast", "same.jsonl")).toMatchObject({ status: 2, out: expect.stringContaining("--fast") });
  });
});
