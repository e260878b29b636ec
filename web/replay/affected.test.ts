import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { affectedSessions } from "./affected/affectedSessions";
import type { Affected } from "./affected/affectedText";
import { changesSince } from "./affected/changes";
import { coverOf } from "./affected/cover";
import { openRecorder, type RecordingJob } from "./affected/coverageRecorder";
import { linesIn, rangesText } from "./affected/lineRanges";

let folder: string;
let recorded: string[];
let files: Record<string, string>;

/** A replayer that runs the saga whose name is the log's first line. */
const REPLAYER = `
export const readLog = (text: string) =>
  text.startsWith("{") ? { status: 2, unreadable: "damaged", line: 4 } : { name: text.trim() };
export function replayLog(program: any, log: { name: string }) {
  program.run(log.name);
  return { status: log.name === "differs" ? 1 : 0 };
}
`;

const PROGRAM = `import { table } from "../machines/order";
import { paid, refused } from "./pay";

/** A comment. */
export interface Log {
  readonly name: string;
}

export const program = {
  run(name: string): void {
    if (name === "paid") paid();
    if (name === "refused") refused();
    const row: any = table.open;
    if (name in row) row[name];
  },
};
`;

const PAY = `const calls: string[] = [];

export function paid(): void {
  calls.push("paid");
}

export function refused(): void {
  calls.push("refused");
}

export const unused = (): void => {
  calls.push("unused");
};
`;

const MACHINE = `const defineMachine = (name: string, initial: object, table: any) => ({ name, initial, table });

export const { table } = defineMachine(
  "order",
  { at: "open" },
  {
    open: {
      paid: "ignore",
      refused: { to: ["open"], move: (state: object) => state },
      lost: "ignore",
    },
  },
);
`;

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** Changes one text of a source. */
function edit(file: string, from: string, to: string): void {
  const text = files[file] ?? "";
  expect(text).toContain(from);
  files[file] = text.replace(from, to);
  write(`web/src/${file}`, files[file]);
}

/** Line of a text in a source, such as `web/src/sagas/pay.ts:4`. */
const lineOf = (file: string, text: string): string =>
  `web/src/${file}:${(files[file] ?? "").split("\n").findIndex((line) => line.includes(text)) + 1}`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "touchline-affected-"));
  writeSources();
  write("web/package-lock.json", "{}");
  write(".gitignore", "node_modules\nlogs\n.cache\n");
  for (const name of ["paid", "refused"]) write(`logs/${name}.jsonl`, `${name}\n`);
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=first");
});
beforeEach(() => {
  for (const written of ["web/src", ".cache"]) rmSync(join(folder, written), { recursive: true, force: true });
  writeSources();
});
afterAll(() => rmSync(folder, { recursive: true }));

function writeSources(): void {
  files = { "sagas/program.ts": PROGRAM, "sagas/pay.ts": PAY, "machines/order.ts": MACHINE };
  for (const [file, text] of Object.entries(files)) write(`web/src/${file}`, text);
  write("web/src/eventlog/replay.ts", REPLAYER);
}

async function run(logs: readonly string[] = ["paid", "refused"], json = true): Promise<string> {
  recorded = [];
  const printed: string[] = [];
  let recorder: ReturnType<typeof openRecorder> | undefined;
  await affectedSessions(
    logs.map((name) => `${name}.jsonl`),
    {
      from: "logs",
      folder: join(folder, "logs"),
      web: join(folder, "web"),
      cache: join(folder, ".cache"),
      since: undefined,
      json,
      accepted: [],
      async record(job: RecordingJob) {
        recorder ??= openRecorder(job.bundle);
        const { loaded, record } = recorder;
        if (job.file === undefined) return { lines: loaded, isCut: false };
        recorded.push(job.file);
        return record(job);
      },
      print: (text) => void printed.push(text),
      progress: () => undefined,
    },
  );
  recorder?.close();
  return printed.join("\n");
}

const affected = async (logs?: readonly string[]): Promise<Affected> => JSON.parse(await run(logs)) as Affected;
const lines = (ranges: Readonly<Record<string, string>>): string[] =>
  Object.entries(ranges).flatMap(([file, text]) => [...linesIn(text)].map((line) => `${file}:${line}`));

describe("affected sessions", () => {
  it("are those that run a changed line, and the lines that none runs are listed", async () => {
    edit("sagas/pay.ts", 'push("refused")', 'push("declined")');
    edit("sagas/pay.ts", 'push("unused")', 'push("never")');
    write("web/src/screens/Buy.tsx", "export const Buy = () => <p>Buy</p>;\n");
    const { sessions, unrun, notLoaded } = await affected();
    expect(sessions).toEqual([{ file: "logs/refused.jsonl", adds: 1, lines: { "web/src/sagas/pay.ts": "8" } }]);
    expect(lines(unrun)).toEqual([lineOf("sagas/pay.ts", 'push("never")')]);
    expect(lines(notLoaded)).toEqual(["web/src/screens/Buy.tsx:1"]);
  });

  it("are the fewest: a session that runs the lines of two replaces both", async () => {
    write("logs/longer.jsonl", "paid\n".padEnd(99));
    edit("sagas/pay.ts", 'push("paid")', 'push("bought")');
    expect((await affected(["longer", "paid"])).sessions.map(({ file }) => file)).toEqual(["logs/paid.jsonl"]);
    const all = (...elements: number[]) => new Set(elements);
    const { chosen, isMinimal } = coverOf([
      // A greedy choice starts with this one, and needs three.
      { name: "most", cost: 1, elements: all(1, 2, 3, 4) },
      { name: "odd", cost: 1, elements: all(1, 3, 5) },
      { name: "even", cost: 1, elements: all(2, 4, 6) },
      { name: "one", cost: 1, elements: all(5) },
    ]);
    expect(chosen.map(({ name }) => name)).toEqual(["odd", "even"]);
    expect(isMinimal).toBe(true);
  });

  it("are found behind inserted lines, with what an earlier build recorded", async () => {
    edit("sagas/pay.ts", 'push("paid")', 'push("bought")');
    await affected();
    expect(recorded).toEqual(["paid.jsonl", "refused.jsonl"]);
    edit("sagas/pay.ts", "const calls", "/** A comment\n * of two lines. */\nconst calls");
    edit("sagas/pay.ts", 'push("refused")', 'push("declined")');
    const { sessions } = await affected();
    // The other one ran no changed line.
    expect(recorded).toEqual(["refused.jsonl"]);
    expect(sessions.flatMap((session) => [session.file, ...lines(session.lines)])).toEqual([
      "logs/paid.jsonl",
      lineOf("sagas/pay.ts", 'push("bought")'),
      "logs/refused.jsonl",
      lineOf("sagas/pay.ts", 'push("declined")'),
    ]);
    await affected();
    expect(recorded).toEqual([]);
  });

  it("are recorded again if they may run an inserted line, or one that runs as the program loads", async () => {
    edit("sagas/pay.ts", 'push("paid")', 'push("bought")');
    await affected();
    edit("sagas/pay.ts", '  calls.push("refused");\n', '  calls.push("refused");\n  calls.push("twice");\n');
    expect((await affected()).sessions).toHaveLength(2);
    expect(recorded).toEqual(["refused.jsonl"]);
    edit("sagas/pay.ts", "string[] = []", 'string[] = ["first"]');
    const { loaded } = await affected();
    expect(recorded).toHaveLength(2);
    expect(lines(loaded)).toEqual([lineOf("sagas/pay.ts", "first")]);
  });

  it("reach the changed cell of a machine's table", async () => {
    edit("machines/order.ts", 'paid: "ignore"', 'paid: "other"');
    edit("machines/order.ts", 'lost: "ignore"', 'lost: "other"');
    const { sessions, unrun } = await affected();
    expect(sessions.map(({ file }) => file)).toEqual(["logs/paid.jsonl"]);
    expect(lines(unrun)).toEqual([lineOf("machines/order.ts", "lost")]);
  });

  it("run where code was removed", async () => {
    edit("sagas/pay.ts", '  calls.push("refused");\n', "");
    const { sessions, removals } = await affected();
    expect(sessions.map(({ file }) => file)).toEqual(["logs/refused.jsonl"]);
    expect(lines(removals)).toEqual(["web/src/sagas/pay.ts:8"]);
  });

  it("are none for comments, types, imports, tests and other files, and nothing is recorded", async () => {
    edit("sagas/program.ts", "A comment.", "Another.");
    edit("sagas/program.ts", "readonly name: string", "readonly name?: string");
    edit("sagas/program.ts", "import { paid, refused }", "import { paid, refused, }");
    write("web/src/sagas/pay.test.ts", "paid();\n");
    write("web/replay/other.ts", "paid();\n");
    expect(await affected()).toMatchObject({ changed: 0, sessions: [], unrun: {} });
    expect(recorded).toEqual([]);
  });

  it("leave out damaged logs, and name those that stopped at a difference", async () => {
    write("logs/damaged.jsonl", "{");
    write("logs/differs.jsonl", "differs");
    edit("sagas/pay.ts", 'push("paid")', 'push("bought")');
    expect(
      await run(["damaged", "differs", "paid"], false),
    ).toBe(`1 changed line with code since ${git("rev-parse", "--short=12", "HEAD")}, 1 of them run by a session

1 session of 3 runs these:
  logs/paid.jsonl: 1 line

1 session stopped at a difference. The first: logs/differs.jsonl

1 session passed over:
  logs/damaged.jsonl: line 4: damaged`);
  });
});

describe("changed lines", () => {
  const changed = async (since?: string) => {
    const changes = await changesSince(join(folder, "web"), since);
    return [...changes.files].map(([file, change]) => `${file}:${rangesText(change.lines)}`);
  };

  it("are those since the branch left main, committed or not, and of new files", async () => {
    git("switch", "--quiet", "--create", "branch");
    edit("sagas/pay.ts", 'push("paid")', 'push("bought")');
    git("commit", "--quiet", "--all", "--message=second");
    edit("sagas/pay.ts", 'push("refused")', 'push("declined")');
    write("web/src/sagas/new file.ts", "export const one = 1;\n");
    expect(await changed()).toEqual(["src/sagas/new file.ts:1", "src/sagas/pay.ts:4,8"]);
    expect(await changed("HEAD")).toEqual(["src/sagas/new file.ts:1", "src/sagas/pay.ts:8"]);
  });

  it("need a commit that the repository has", async () => {
    await expect(changed("--help")).rejects.toThrow("this repository does not have the commit --help");
    rmSync(join(folder, ".git"), { recursive: true });
    await expect(changed()).rejects.toThrow("this is no git repository with a commit");
  });
});
