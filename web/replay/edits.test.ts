import { beforeAll, describe, expect, it } from "vitest";
import { replayText } from "../src/eventlog/replay";
import { report } from "../src/eventlog/report";
import { createRandom } from "../src/eventlog/testing/virtual-time";
import { onAbsentMove } from "../src/machines/machine";
import { program } from "../src/sagas/program";
import { editKinds, type Recorded, recorded } from "./testing/edits";
import { longUse } from "./testing/longUse";
import { record } from "./testing/recordings";

const EDITS = Number(process.env.EDITS ?? 270);
const SEED = Number(process.env.EDITS_SEED ?? 20_261_123);

const NAMES = [
  "auth-links",
  "browse",
  "clip-fails",
  "connection-weather",
  "corners-reloaded-login",
  "corners-reloaded-renewal",
  "outbox-offline",
  "preroll",
  "purchase-declined",
  "purchase-paid",
  "purchase-reloaded",
  "two-tabs",
];

/** Logs of several segments, each after a snapshot. */
const ROTATED: Readonly<Record<string, () => Promise<string>>> = {
  "a minute, a segment every 6 KB": () => longUse(1, { segment: 6 * 1024 }),
  "two minutes, a segment every 20 KB": () => longUse(2, { segment: 20 * 1024, seed: 7 }),
};
const TITLES = [...NAMES, ...Object.keys(ROTATED)];

describe(`edited logs with recomputed checks (EDITS=${EDITS}, EDITS_SEED=${SEED})`, () => {
  const logs: Recorded[] = [];
  beforeAll(async () => {
    for (const name of NAMES) logs.push(recorded(await record(name)));
    for (const make of Object.values(ROTATED)) logs.push(recorded(await make()));
    onAbsentMove(null);
  }, 120_000);

  it("include rotated snapshots", () => {
    for (const { log } of logs.slice(NAMES.length))
      expect(log.lines.filter(({ kind }) => kind === "snapshot").length).toBeGreaterThan(1);
  });

  it("replay as recorded before the edit", () => {
    for (const { log, text } of logs) {
      const outcome = replayText(program, text(log));
      expect(outcome.status, report("as recorded", outcome, "this build")).toBe(0);
    }
  });

  it("differ for every edit", { timeout: 5_000 * EDITS }, () => {
    const random = createRandom(SEED);
    const choose = (count: number): number => Math.floor(random() * count);
    const names = Object.keys(editKinds);
    const passed: string[] = [];
    for (let editCount = 0; editCount < EDITS; ) {
      const name = names[editCount % names.length] ?? "";
      const index = choose(logs.length);
      const { log, text } = logs[index] as Recorded;
      const edit = editKinds[name]?.(log, choose);
      if (!edit) continue;
      editCount += 1;
      if (replayText(program, text(edit.log)).status === 0) passed.push(`${TITLES[index]}, ${name}: ${edit.what}`);
    }
    expect(passed).toEqual([]);
  });
});
