import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blobLine } from "../src/eventlog/blobLine";
import type { Line } from "../src/eventlog/envelope";
import { MAX_FILE_BYTES } from "../src/eventlog/file";
import { textHash } from "../src/eventlog/hash";
import { parseLog } from "../src/eventlog/parse";
import { logText, snapshotOf } from "../src/eventlog/testing/logText";
import { actions, probeProgram } from "../src/eventlog/testing/probe-program";
import { startSession } from "../src/eventlog/testing/session";
import { settled } from "../src/eventlog/testing/virtual-time";
import { createPool, type Replayer } from "./pool";
import { type FileJob, replayFile } from "./replayFile";
import { run } from "./run";
import { logFolder } from "./testing/recordings";

let folder: string;

const nested = (deep: number): string => `${"[".repeat(deep)}${"]".repeat(deep)}`;
const lineWith = (payload: string): string =>
  `{"seq":1,"at":1,"mono":1,"kind":"action","origin":"ui","type":"a","payload":${payload},"check":"0123456789abcdef"}`;
const deepLine = (deep: number): string => lineWith(nested(deep));

/** A line whose reference leads through a chain of `count` blobs. */
function chainedLines(count: number): string[] {
  const blobs: string[] = [];
  let inner = "[]";
  for (let index = 0; index < count; index++) {
    const hash = textHash(inner);
    blobs.push(blobLine(hash, inner));
    inner = `[{"$blob":"${hash}"}]`;
  }
  return [lineWith(inner), ...blobs];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "touchline-replay-"));
  const session = startSession();
  await settled();
  session.store.dispatch(actions.order.payPressed());
  await session.time.pass(9000);
  const log = session.log();
  const lines = log.split("\n");
  const read = parseLog(log);
  const forged = read.lines.map((line) => (line.type === "order/placed" ? { ...line, type: "order/gaveUp" } : line));
  const last = read.lines.at(-1) as Line;
  const payload = snapshotOf(session.store.getState());
  const snapshot: Line = { ...last, kind: "snapshot", type: "rotated", payload };
  const blobs = lines.filter((line) => line.startsWith('{"blob":'));
  const placed = lines.findIndex((line) => line.includes('"type":"order/placed"'));
  const files = {
    "same.jsonl": log,
    "marked.jsonl": `\uFEFF${log}`,
    "cut.jsonl": `${[...lines.slice(0, placed), ...blobs].join("\n")}\n`,
    "headed.jsonl": logText(read.header, [snapshot]),
    "forged.jsonl": logText(read.header, forged),
    "touched.jsonl": log.replace('"type":"order/placed"', '"type":"order/gaveUp"'),
    "headless.jsonl": lines.slice(1).join("\n"),
    "newer.jsonl": log.replace('"v":2', '"v":3'),
    "broken.jsonl": `${lines.slice(0, 3).join("\n")}\n{"seq":`,
    "misshapen.jsonl": log.replace('"kind":"action"', '"kind":"deed"'),
    "shorter.jsonl": [...lines.slice(0, 2), ...lines.slice(3)].join("\n"),
    "empty.jsonl": "",
    "deep.jsonl": [lines[0], deepLine(200_000), ""].join("\n"),
    "chained.jsonl": [lines[0], ...chainedLines(20_000), ""].join("\n"),
    "deepHeader.jsonl": `${lines[0]?.replace('"snapshot":null', `"snapshot":{"a":${nested(200_000)}}`)}\n`,
    "painted.jsonl": logText({ ...read.header, build: "\u001b[2J\u009b31m\u202e" }, read.lines),
  };
  await writeFile(join(folder, "packed.jsonl.gz"), gzipSync(log));
  await writeFile(join(folder, "damaged.jsonl.gz"), gzipSync(log).subarray(0, 300));
  await writeFile(join(folder, "endless.jsonl.gz"), gzipSync(Buffer.alloc(MAX_FILE_BYTES + 1)));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});

afterAll(() => rm(folder, { recursive: true }));

const inProcess: Replayer = { replay: (job) => replayFile(probeProgram, job), end: () => undefined };

async function replayWith(replayer: Replayer, ...args: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const status = await run(args, {
    folder,
    build: "later",
    out: (text) => void out.push(text),
    error: (text) => void errors.push(text),
    replayer: () => replayer,
  });
  return { status, out: out.join("\n"), errors };
}

const replay = (...args: string[]) => replayWith(inProcess, ...args);

describe("the replayer", () => {
  it("exits with 0 for a log that replays the same", async () => {
    const { status, out } = await replay("same.jsonl");
    expect(out).toMatch(
      /^same\.jsonl: same \(\d+ lines, recorded by test, replayed by later\)\nreducers: same.*\nrecording build: not compared: .*\nsagas: same/,
    );
    expect(status).toBe(0);
  });

  it.each([
    ["a payload", "deep.jsonl", "line 2: its values are nested deeper than 500"],
    ["a chain of blobs", "chained.jsonl", "line 2: its values are nested deeper than 500"],
    ["a header", "deepHeader.jsonl", "line 1: its values are nested deeper than 500"],
  ])("rejects %s with too deep nesting as unreadable", async (_what, file, reason) => {
    const { status, out } = await replay("--json", file);
    expect(JSON.parse(out)).toMatchObject({ status: 2, files: [{ verdict: "unreadable", reason }] });
    expect(status).toBe(2);
  });

  it("escapes control characters for the terminal", async () => {
    const { out } = await replay("painted.jsonl");
    expect(out).toContain("recorded by \\u{1b}[2J\\u{9b}31m\\u{202e}, replayed by");
    expect(/[\p{Cc}\p{Cf}]/u.test(out.replaceAll("\n", ""))).toBe(false);
  });

  it("exits with 1 for a divergence, and shows its line", async () => {
    const { status, out } = await replay("forged.jsonl");
    expect(out).toContain("the sagas dispatched another action (different-action)");
    expect(out).toContain('expected: {"type":"order/gaveUp"');
    expect(out).toContain('got:      {"type":"order/placed"');
    expect(out).toContain("forged.jsonl: differs, diverged (");
    expect(status).toBe(1);
  });

  it.each([
    ["misses a line", "shorter.jsonl", "follows seq"],
    ["has a modified line", "touched.jsonl", "its check does not match"],
  ])("exits with 1 for one that %s, and reports tampering", async (_, file, why) => {
    const { status, out } = await replay(file);
    expect(out).toContain(`${file}: differs, tampered (`);
    expect(out).toContain(why);
    expect(status).toBe(1);
  });

  it("reads the compressed file that the worker stored, and reports a damaged one", async () => {
    expect(await replay("packed.jsonl.gz")).toMatchObject({ status: 0, out: expect.stringContaining(": same (") });
    expect(await replay("damaged.jsonl.gz")).toMatchObject({
      status: 2,
      out: "damaged.jsonl.gz: unreadable: a damaged or truncated compressed file",
    });
  });

  it.each(["endless.jsonl.gz", "/dev/zero"])("reads no more of %s than the longest recording", async (file) => {
    expect(await replay(file)).toMatchObject({ status: 2, out: `${file}: unreadable: larger than 64 MB` });
  });

  it("reads a file with a byte order mark", async () => {
    expect(await replay("marked.jsonl")).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^marked\.jsonl: same/),
    });
  });

  it.each([
    ["cut.jsonl", /missing at line \d+: the log ends inside a turn/],
    ["headed.jsonl", /missing at line 2: the log does not start at a page load.*the sagas were not replayed/],
  ])("exits with 3 for %s, and reports what is missing", async (file, what) => {
    const { status, out } = await replay(file);
    expect(out).toContain(`${file}: partial (`);
    expect(out).toMatch(what);
    expect(status).toBe(3);
  });

  it.each([
    ["headless.jsonl", 'line 1: no header of format "touchline-log"'],
    ["newer.jsonl", "line 1: version 3 is unknown; this build reads 2"],
    ["broken.jsonl", "line 4: not JSON"],
    ["misshapen.jsonl", '"kind" is missing or malformed; the log was recorded by build '],
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
    expect(out).toContain("forged.jsonl: differs");
    expect(status).toBe(2);
    expect((await replay("forged.jsonl", "cut.jsonl", "same.jsonl")).status).toBe(1);
    expect((await replay("cut.jsonl", "same.jsonl")).status).toBe(3);
  });

  it("prints the files in the order of the command line, and progress separately", async () => {
    const slowest = "forged.jsonl";
    let others = 0;
    let whenOthersAre: () => void = () => undefined;
    const othersAre = new Promise<void>((resolve) => {
      whenOthersAre = resolve;
    });
    const lastFirst: Replayer = {
      ...inProcess,
      async replay(job) {
        if (job.file === slowest) {
          await othersAre;
          return inProcess.replay(job);
        }
        const replayed = await inProcess.replay(job);
        others += 1;
        if (others === 2) whenOthersAre();
        return replayed;
      },
    };
    const { out, errors } = await replayWith(lastFirst, slowest, "same.jsonl", "cut.jsonl");
    expect([...out.matchAll(/^(\w+\.jsonl): /gm)].map(([, name]) => name)).toEqual([
      slowest,
      "same.jsonl",
      "cut.jsonl",
    ]);
    expect(errors.at(-1)).toBe(`3 of 3: ${slowest}`);
    expect(errors).toHaveLength(3);
    expect((await replay("same.jsonl")).errors).toEqual([]);
  });

  it("prints one JSON document for all files", async () => {
    const { status, out } = await replay(
      "--json",
      "same.jsonl",
      "forged.jsonl",
      "shorter.jsonl",
      "cut.jsonl",
      "broken.jsonl",
    );
    const document = JSON.parse(out);
    expect(status).toBe(2);
    expect(document).toMatchObject({ build: "later", status: 2 });
    const reported = document.files.map(({ file, status, verdict, kind }: Record<string, unknown>) => [
      file,
      status,
      verdict,
      kind,
    ]);
    expect(reported).toEqual([
      ["same.jsonl", 0, "same", null],
      ["forged.jsonl", 1, "differs", "diverged"],
      ["shorter.jsonl", 1, "differs", "tampered"],
      ["cut.jsonl", 3, "partial", null],
      ["broken.jsonl", 2, "unreadable", null],
    ]);
    const [same, forged, , cut, broken] = document.files;
    expect(same).toMatchObject({
      line: null,
      log: { build: "test", channel: "northfield" },
      replayed: { reducers: { same: true, actions: expect.any(Number) }, sagas: { same: true } },
    });
    expect(forged.replayed.sagas.divergence).toMatchObject({ why: "different-action", line: forged.line });
    expect(cut).toMatchObject({ line: cut.log.lines, missing: [{ line: cut.log.lines }] });
    expect(broken).toMatchObject({ line: 4, log: null, replayed: { reducers: null, sagas: null } });
    expect(broken.reason).toContain("not JSON");
  });

  it("names the file that crashed the replayer, with the stack, and replays the others", async () => {
    const crashing: Replayer = {
      ...inProcess,
      replay: (job) =>
        job.file === "same.jsonl"
          ? replayFile({ ...probeProgram, methods: null as never, reducer: null as never }, job)
          : inProcess.replay(job),
    };
    const { status, out } = await replayWith(crashing, "same.jsonl", "marked.jsonl");
    expect(out).toMatch(/^same\.jsonl: unreadable: the replayer crashed: TypeError.*\n.*folding\.ts:\d+/);
    expect(out).toContain("marked.jsonl: same");
    expect(status).toBe(2);
  });

  it("skips the sagas on request", async () => {
    const { status, out } = await replay("--reducers-only", "same.jsonl");
    expect(out).toContain("sagas: skipped, as requested");
    expect(status).toBe(0);
  });

  it("calls a log that ends inside a turn partial, also without the sagas", async () => {
    expect((await replay("--reducers-only", "cut.jsonl")).status).toBe(3);
  });

  it("prints its usage on wrong arguments", async () => {
    expect(await replay()).toMatchObject({ status: 2, out: "", errors: [expect.stringContaining("usage:")] });
    expect(await replay("--fast", "same.jsonl")).toMatchObject({
      status: 2,
      errors: [expect.stringContaining("--fast")],
    });
  });
});

describe("the pool of processes", () => {
  const job = (file: string): FileJob => ({ file, folder, build: "later" });

  it("continues after a process dies, and names its file", async () => {
    const module = join(folder, "child.mjs");
    await writeFile(
      module,
      `process.on("message", ({ file }) => (file === "bad" ? process.exit(7) : process.send({ text: file, summary: {} })));
       process.on("disconnect", () => process.exit());`,
    );
    const pool = createPool(1, pathToFileURL(module));
    const results = await Promise.all(["one", "bad", "two", "three"].map((file) => pool.replay(job(file))));
    pool.end();
    expect(results.map(({ text }) => text)).toEqual([
      "one",
      "bad: unreadable: its replay process ended with status 7",
      "two",
      "three",
    ]);
  });

  // Starts the command line and two processes.
  it("replays several files for the command line", async () => {
    const names = ["two-tabs", "auth-links", "purchase-paid"].map((name) => `${logFolder}${name}.jsonl`);
    const { code, out, errors } = await new Promise<{ code: unknown; out: string; errors: string }>((resolve) => {
      execFile(
        "npx",
        ["tsx", "replay/cli.ts", "--json", ...names, join(folder, "cut.jsonl")],
        { cwd: join(import.meta.dirname, "..") },
        (error, out, errors) => resolve({ code: error?.code ?? 0, out, errors }),
      );
    });
    const document = JSON.parse(out);
    expect(document.files.map(({ file }: { file: string }) => file)).toEqual([...names, join(folder, "cut.jsonl")]);
    expect(document.files.slice(0, 3).map(({ verdict }: { verdict: string }) => verdict)).toEqual(
      Array(3).fill("same"),
    );
    expect(errors).toContain("4 of 4: ");
    // The probe's log isn't one of the product's sagas.
    expect(code).toBe(1);
  });
});
