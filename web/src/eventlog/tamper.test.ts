import { beforeAll, describe, expect, it } from "vitest";
import { blobLine } from "./blobLine";
import type { ActionLine, EffectLine, Line } from "./envelope";
import { textHash } from "./hash";
import { fileLine, type Log, parseLog } from "./parse";
import { sliceHash } from "./recorder";
import { replayLog, replayText } from "./replay";
import { replayReducers } from "./replay-reducers";
import { replaySagas } from "./replay-sagas";
import { report } from "./report";
import { logText } from "./testing/logText";
import { probeProgram } from "./testing/probe-program";
import { runSession } from "./testing/random-session";

/** A session that covers most cases; its log is the same each time. */
const PLAN = {
  seed: 11,
  latency: 400,
  quantum: 100,
  fail: 0.05,
  lose: 0.02,
  poison: 0.05,
  clockJumps: true,
  steps: (["type", "pay", "probe", "screen", "close", "stop", "push", "type", "probe", "pay"] as const).map(
    (deed, index) => ({ wait: 700, deed, n: index + 3 }),
  ),
};

let log: Log;
let indices: number[];
beforeAll(async () => {
  log = parseLog((await runSession(PLAN, { checkpointEvery: 20 })).sink.text());
  indices = log.lines.map((_line, index) => index);
});

const renumbered = (lines: readonly Line[]): Line[] => lines.map((line, index) => ({ ...line, seq: index + 1 }));
const without = (index: number): Line[] => log.lines.filter((_line, other) => other !== index);
const withLine = (index: number, line: Line): Line[] => log.lines.map((old, other) => (other === index ? line : old));
const swapped = (index: number): Line[] => {
  const [one, other] = [log.lines[index] as Line, log.lines[index + 1] as Line];
  return [...log.lines.slice(0, index), other, one, ...log.lines.slice(index + 2)];
};
const checkpointOf = (seq: number, slices: Record<string, string>): Line => ({
  seq,
  at: 0,
  mono: 0,
  kind: "checkpoint",
  origin: "saga",
  type: "requested",
  type_version: 1,
  payload: { slices, open: [], covers: "" },
});
const sagas = (lines: Line[]) => replaySagas(probeProgram, { header: log.header, lines });
const isSagaAction = (line: Line | undefined): line is ActionLine => line?.kind === "action" && line.origin === "saga";

describe("a log that was tampered with", () => {
  it("replays the same before, and contains enough to tamper with", () => {
    expect(replayLog(probeProgram, log).status).toBe(0);
    expect(log.lines.filter(isSagaAction).length).toBeGreaterThan(30);
    expect(log.lines.filter(({ kind }) => kind === "effect").length).toBeGreaterThan(15);
  });

  it("names the removed saga action, wherever it was and even if the rest was renumbered", () => {
    for (const index of indices) {
      const removed = log.lines[index];
      if (!isSagaAction(removed)) continue;
      for (const lines of [without(index), renumbered(without(index))]) {
        const { divergence } = sagas(lines);
        // If an equal action follows, the second of the two counts as missing.
        const again = log.lines[index + 1];
        const twice = isSagaAction(again) && again.type === removed.type;
        expect(divergence?.why).toMatch(/extra-action|different-action/);
        if (twice) continue;
        expect(divergence).toMatchObject({ line: fileLine(index), got: { type: removed.type } });
      }
    }
  });

  it("reports any line that is missing, repeated or swapped by its number", () => {
    for (const index of indices.slice(1, -1)) {
      const repeated = [...log.lines.slice(0, index + 1), ...log.lines.slice(index)];
      for (const lines of [without(index), repeated, swapped(index)]) {
        expect(replayReducers(probeProgram, { header: log.header, lines }).divergence?.why, `${index}`).toBeDefined();
        const { divergence } = sagas(lines);
        expect(divergence, `line ${fileLine(index)}`).toBeDefined();
        expect(divergence?.line).toBeLessThanOrEqual(fileLine(index + 1));
      }
    }
  });

  it("reports two lines of one turn that were swapped and renumbered", () => {
    let tried = 0;
    for (const index of indices.slice(0, -1)) {
      const [one, other] = [log.lines[index] as Line, log.lines[index + 1] as Line];
      if (!isSagaAction(one) || !isSagaAction(other) || one.at !== other.at) continue;
      if (JSON.stringify([one.type, one.payload]) === JSON.stringify([other.type, other.payload])) continue;
      tried += 1;
      const { divergence } = sagas(renumbered(swapped(index)));
      expect(divergence).toMatchObject({ why: "different-action", line: fileLine(index), got: { type: one.type } });
    }
    expect(tried).toBeGreaterThan(5);
  });

  it("reports a changed payload of any saga action, and the slices it would change", () => {
    for (const index of indices) {
      const line = log.lines[index];
      if (!isSagaAction(line)) continue;
      const { divergence } = sagas(withLine(index, { ...line, payload: { forged: true } }));
      expect(divergence).toMatchObject({
        why: "different-action",
        line: fileLine(index),
        expected: { type: line.type, payload: { forged: true } },
      });
    }
    const due = log.lines.findIndex(({ type }) => type === "order/pollDue");
    const { divergence } = sagas(withLine(due, { ...(log.lines[due] as ActionLine), payload: { due: 1 } }));
    expect(divergence?.slices).toEqual(["order"]);
  });

  it("reports a changed answer at the first step that it changes", () => {
    let tried = 0;
    for (const index of indices) {
      const line = log.lines[index] as EffectLine;
      const next = log.lines[index + 1];
      if (line.kind !== "effect" || line.type !== "api.searchVod" || !isSagaAction(next)) continue;
      tried += 1;
      const forged = { ...line, payload: { ok: { data: ["forged"] } } };
      const { divergence } = sagas(withLine(index, forged));
      expect(divergence?.line).toBe(fileLine(index + 1));
      expect(divergence?.before.at(-1)).toEqual(forged);
    }
    expect(tried).toBeGreaterThan(0);
  });

  it("reports a changed number, and one that was not drawn", () => {
    const drawn = log.lines.findIndex(({ type }) => type === "draw");
    const line = log.lines[drawn] as EffectLine;
    expect(sagas(withLine(drawn, { ...line, payload: { ok: 0.123 } })).divergence).toMatchObject({
      why: "different-action",
      line: fileLine(drawn + 1),
    });
    expect(sagas(withLine(drawn, { ...line, call: "draw:weight#1" })).divergence).toMatchObject({
      why: "different-draw",
      line: fileLine(drawn),
      got: { call: line.call },
    });
    expect(sagas(renumbered(without(drawn))).divergence).toMatchObject({
      why: "different-draw",
      line: fileLine(drawn),
    });
  });

  it("reports an answer to a call that nobody made", () => {
    const answered = log.lines.findIndex(({ type }) => type === "api.getEvent");
    const line = { ...(log.lines[answered] as EffectLine), call: "api.getEvent:77#1" };
    expect(sagas(withLine(answered, line)).divergence).toMatchObject({
      why: "unasked-answer",
      line: fileLine(answered),
    });
  });

  it("reports a forged checkpoint, in both replays", () => {
    const at = log.lines.findIndex(({ kind }) => kind === "checkpoint");
    const line = log.lines[at] as Line;
    const forged = { ...line, payload: { slices: { page: "1:0000000000000000" }, open: [] } } as Line;
    const outcome = replayLog(probeProgram, { header: log.header, lines: withLine(at, forged) });
    expect(outcome.status).toBe(1);
    expect(outcome.kind).toBe("diverged");
    expect(outcome.reducers.divergence).toMatchObject({ why: "state", line: fileLine(at), slices: ["page"] });
    expect(typeof outcome.sagas === "string" ? undefined : outcome.sagas.divergence?.why).toBe("state");
  });

  it("reports a changed slice that the log marks as unchanged by omission", () => {
    const state = { a: 1, b: 1 };
    const base = { at: 0, mono: 0, type_version: 1 } as const;
    const lines: Line[] = [
      { ...base, seq: 1, kind: "action", origin: "ui", type: "began", payload: null },
      checkpointOf(2, { a: sliceHash(1, 1), b: sliceHash(1, 1) }),
      { ...base, seq: 3, kind: "action", origin: "ui", type: "stirred", payload: null },
      checkpointOf(4, { a: sliceHash(1, 2) }),
    ];
    const folding = (stirred: object) =>
      replayReducers(
        {
          ...probeProgram,
          reducer: (now: unknown, { type }: { type: string }) =>
            (type === "stirred" ? stirred : (now ?? state)) as object,
        },
        { header: log.header, lines },
      );
    expect(folding({ a: 2, b: 1 }).divergence).toBeUndefined();
    expect(folding({ a: 2, b: 9 }).divergence).toMatchObject({ why: "state", line: fileLine(3), slices: ["b"] });
  });

  it("reports time that moved within a turn", () => {
    const index = log.lines.findIndex((line, at) => isSagaAction(line) && log.lines[at - 1]?.at === line.at);
    const line = log.lines[index] as Line;
    expect(sagas(withLine(index, { ...line, at: line.at + 1 })).divergence).toMatchObject({
      why: "order",
      line: fileLine(index),
    });
  });

  it("is called tampered if its lines don't follow each other, also after the step that differs", () => {
    const first = log.lines.findIndex(isSagaAction);
    const forged = withLine(first, { ...(log.lines[first] as ActionLine), payload: { forged: true } });
    const cut = forged.filter((_line, index) => index !== forged.length - 3);
    expect(replayLog(probeProgram, { header: log.header, lines: forged }).kind).toBe("diverged");
    expect(replayLog(probeProgram, { header: log.header, lines: cut }).kind).toBe("tampered");
    expect(replayLog(probeProgram, log).kind).toBeNull();
  });

  it("is reported with the step, both sides, the open calls and the five lines before", () => {
    const index = log.lines.findIndex(({ type }) => type === "order/pollDue");
    const lines = without(index);
    const text = logText(log.header, lines);
    const reportText = report("session.jsonl", replayText(probeProgram, text), "later");
    expect(reportText).toContain("session.jsonl: differs, tampered");
    expect(reportText).toContain("recorded by test, replayed by later");
    expect(reportText).toContain(`line ${fileLine(index)}: `);
    expect(reportText).toContain("order/pollDue");
    expect(reportText).toContain(`cause: seq ${index + 2} follows seq ${index}`);
    expect(reportText).toContain("slices that differ: order");
    expect(reportText).toContain("open calls: ");
    expect(reportText).toContain(`${fileLine(index) - 5}: seq ${index - 4} `);
  });
});

describe("an unreferenced blob", () => {
  const value = `"${"x".repeat(300)}"`;
  const outcomeOf = (...blobs: string[]) =>
    replayText(probeProgram, `${logText(log.header, log.lines)}${blobs.join("")}`);

  it("is as written", () => {
    expect(outcomeOf(`${blobLine(textHash(value), value)}\n`)).toMatchObject({ status: 0 });
  });

  it("is reported if edited, also beside one of the same name", () => {
    const written = `${blobLine(textHash(value), value)}\n`;
    const edited = written.replace("xxx", "xyx");
    const tampered = { status: 1, kind: "tampered" };
    expect(outcomeOf(edited)).toMatchObject(tampered);
    expect(outcomeOf(edited, written)).toMatchObject(tampered);
    expect(outcomeOf(written, edited)).toMatchObject(tampered);
  });
});
