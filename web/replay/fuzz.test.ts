import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stateHash } from "../src/eventlog/hash";
import { replayText } from "../src/eventlog/replay";
import { report } from "../src/eventlog/report";
import { onAbsentMove } from "../src/machines/machine";
import { program } from "../src/sagas/program";
import { anyPlan, runPlan } from "./testing/plan";

const RUNS = Number(process.env.FUZZ_RUNS ?? 120);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);

describe("any session of the product", () => {
  it(`replays the same (FUZZ_SEED=${SEED}, FUZZ_RUNS=${RUNS})`, { timeout: 5_000 * RUNS }, async () => {
    let actions = 0;
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const visit = await runPlan(plan);
        const log = visit.log();
        onAbsentMove(null);
        const outcome = replayText(program, log);
        if (outcome.status !== 0) throw new Error(report("session", outcome, "this build"));
        const live = stateHash(visit.state());
        expect(outcome.reducers.hash).toBe(live);
        expect(typeof outcome.sagas === "string" ? outcome.sagas : outcome.sagas.hash).toBe(live);
        actions += outcome.reducers.actions;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // Sessions in which nothing happens would all replay the same.
    expect(actions / RUNS).toBeGreaterThan(60);
  });
});
