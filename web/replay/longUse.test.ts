import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { fitLog, PACKED } from "../src/app/report/fitLog";
import { parseLog } from "../src/eventlog/parse";
import { replayText } from "../src/eventlog/replay";
import { report } from "../src/eventlog/report";
import { program } from "../src/sagas/program";
import { longUse } from "./testing/longUse";

it("fifteen minutes of use take 400 bytes per action and 120 KB gzipped, fit into a report, and replay from it", async () => {
  const text = await longUse(15);
  const { lines } = parseLog(text);
  const actions = lines.filter(({ kind }) => kind === "action");
  for (const type of ["purchase/submitted", "clip/submitted", "player/seeked", "purchase/orderSeen"])
    expect(
      actions.some((action) => action.type === type),
      type,
    ).toBe(true);
  expect(actions.length).toBeGreaterThan(1_200);
  const written = text.split("\n").filter((line) => !line.startsWith('{"blob":'));
  expect(written.join("\n").length / actions.length).toBeLessThanOrEqual(400);
  expect(gzipSync(text).length).toBeLessThanOrEqual(120 * 1024);
  expect(await fitLog(text, PACKED)).toEqual({ at: "whole", text });
  const outcome = replayText(program, text);
  expect(outcome.status, report("a quarter of an hour", outcome, "this build")).toBe(0);
});
