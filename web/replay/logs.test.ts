import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { ActionLine, EffectLine, Line } from "../src/eventlog/envelope";
import { firstState, fold } from "../src/eventlog/folding";
import { fileLine, type Log, parseLog } from "../src/eventlog/parse";
import { canonical } from "../src/eventlog/plain";
import { replayLog } from "../src/eventlog/replay";
import { replaySagas } from "../src/eventlog/replay-sagas";
import { report } from "../src/eventlog/report";
import { onAbsentMove } from "../src/machines/machine";
import { program } from "../src/sagas/program";
import { journeys } from "./testing/journeys";
import { stories } from "./testing/journeys/stories";
import { cellName, cells, cellsReached } from "./testing/mutants/cells";
import { committedLog, committedNames, record, recordAll } from "./testing/recordings";

const names = Object.keys(journeys);

/** A log of the tree as an earlier build recorded it; another as this build records it. */
const textOf = async (name: string): Promise<string> =>
  committedNames.includes(name) ? committedLog(name) : record(name);

/** Limit of a log's actions that are removed, one at a time. `make soak` uses 30. */
const MAX_REMOVED = Number(process.env.REMOVED ?? 8);

const isSagaAction = (line: Line | undefined): line is ActionLine => line?.kind === "action" && line.origin === "saga";
const renumbered = (lines: readonly Line[]): Line[] => lines.map((line, index) => ({ ...line, seq: index + 1 }));
const said = ({ type, payload }: Line): string => canonical({ type, payload });

/** Adjacent, different saga actions of one turn. */
function pairs({ lines }: Log): number[] {
  return lines.flatMap((one, index) => {
    const other = lines[index + 1];
    const together = isSagaAction(one) && isSagaAction(other) && one.mono === other.mono;
    return together && said(one) !== said(other) ? [index] : [];
  });
}

/** A session's steps: the states of one slice, or the types of its actions. */
function* steps({ header, lines }: Log, slice: string | undefined): Generator<string> {
  const at = (state: object): string => (state as Record<string, { at: string }>)[slice ?? ""]?.at ?? "";
  let state = firstState(program, header.snapshot);
  yield at(state);
  for (const line of lines) {
    if (line.kind === "snapshot") state = firstState(program, line.payload.state);
    if (line.kind === "action") state = fold(program, state, line.type, line.payload);
    yield slice === undefined ? line.type : at(state);
  }
}

it("at most six logs are committed, each of a recorded session", () => {
  expect(committedNames.length).toBeLessThanOrEqual(6);
  expect(names).toEqual(expect.arrayContaining([...committedNames]));
});

// The first of these records every session: seconds on a quiet machine.
it("the recorded sessions reach nine of ten cells of the machines' tables", async () => {
  const reached = cellsReached(await recordAll());
  const missed = cells.map(cellName).filter((name) => !reached.has(name));
  expect(missed.length, missed.join("\n")).toBeLessThan(cells.length / 10);
});

it("no log contains data of the demo's people, a card or a key (LOG-2)", async () => {
  const accounts = (["northfield", "laurentides"] as const).flatMap((channel) => {
    const file = new URL(`../../fixtures/channels/${channel}/channel.json`, import.meta.url);
    const { demo_accounts = [] } = JSON.parse(readFileSync(file, "utf8")) as {
      demo_accounts?: { email: string; last_name: string }[];
    };
    return demo_accounts;
  });
  expect(accounts.length).toBeGreaterThan(0);
  const secrets = [
    ...accounts.flatMap(({ email, last_name }) => [email, `"${last_name}"`]),
    "4242424242424242",
    "api_key=",
  ];
  for (const name of names) {
    const text = await textOf(name);
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
  }
});

describe.each(names)("the log %s", (name) => {
  let log: Log;
  const sagas = (lines: readonly Line[]) => replaySagas(program, { header: log.header, lines });

  beforeAll(async () => {
    log = parseLog(await textOf(name));
    onAbsentMove(null);
  }, 60_000);

  it("replays the same, reducers and sagas (LOG-1)", () => {
    const outcome = replayLog(program, log);
    expect(outcome.status, report(name, outcome, "this build")).toBe(0);
    expect(outcome.sagas).toMatchObject({ same: true, warnings: [] });
  });

  // Recorded and replayed by one build, a session with a defect would replay the same.
  const story = stories[name];
  // Those named `corners-…` exist for the table cells that they reach, and have no story.
  if (story !== undefined)
    it("contains its story's steps", () => {
      const remaining = [...story.steps];
      for (const step of steps(log, story.slice)) if (step === remaining[0]) remaining.shift();
      expect(remaining, "missing steps").toEqual([]);
    });

  it("has no crashed process", () => {
    expect(log.lines.filter(({ type }) => type === "supervisor/sagaCrashed" || type === "crashed")).toEqual([]);
  });

  // One replay per action: seconds on a quiet machine for the longest logs, and many times that on a busy one.
  it("reveals which saga action was removed", () => {
    const indices = log.lines.flatMap((line, index) => (isSagaAction(line) ? [index] : []));
    expect(indices.length).toBeGreaterThan(20);
    // A sample of them.
    const apart = Math.max(7, Math.ceil(indices.length / MAX_REMOVED));
    for (const index of indices.filter((_index, place) => place % apart === 0)) {
      const removed = log.lines[index] as ActionLine;
      const { divergence } = sagas(renumbered(log.lines.filter((_line, other) => other !== index)));
      expect(divergence?.why, `line ${fileLine(index)}`).toMatch(/extra-action|different-action/);
      // If the same action follows at once, the second of the two counts as missing.
      const next = log.lines[index + 1];
      if (next && said(next) === said(removed)) continue;
      expect(divergence).toMatchObject({ line: fileLine(index), got: { type: removed.type } });
    }
  });

  it("reveals the first step that a changed answer changes (LOG-3)", () => {
    // The next action repeats the answer: that action is the first step that must differ.
    const indices = log.lines.flatMap((line, index) => {
      const next = log.lines[index + 1];
      if (line.kind !== "effect" || line.origin === "saga" || !("ok" in line.payload) || !isSagaAction(next)) return [];
      const answer = JSON.stringify(line.payload.ok);
      return answer.length > 20 && JSON.stringify(next.payload).includes(answer) ? [index] : [];
    });
    expect(indices.length).toBeGreaterThan(0);
    for (const index of indices.slice(0, 8)) {
      const line = log.lines[index] as EffectLine;
      const err = { code: "forged", message: "Forged.", status: 418 };
      const { args } = line.payload;
      const forged: EffectLine = { ...line, payload: args === undefined ? { err } : { err, args } };
      const { divergence } = sagas(log.lines.map((old, other) => (other === index ? forged : old)));
      expect(divergence?.line).toBe(fileLine(index + 1));
      expect(divergence?.before.at(-1)).toEqual(forged);
    }
  });

  it("reveals two swapped lines", () => {
    const indices = pairs(log);
    expect(indices.length).toBeGreaterThan(2);
    for (const index of indices.slice(0, 6)) {
      const [one, other] = [log.lines[index] as Line, log.lines[index + 1] as Line];
      const swapped = [...log.lines.slice(0, index), other, one, ...log.lines.slice(index + 2)];
      expect(sagas(renumbered(swapped)).divergence).toMatchObject({
        why: "different-action",
        line: fileLine(index),
        got: { type: one.type },
      });
      // Their original numbers reveal it too.
      expect(sagas(swapped).divergence).toMatchObject({ line: fileLine(index), cause: expect.stringContaining("seq") });
    }
  });
});
