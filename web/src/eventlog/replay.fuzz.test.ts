import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stateHash } from "./hash";
import { replayText } from "./replay";
import { report } from "./report";
import { probeProgram } from "./testing/probe-program";
import { anyPlan, runSession } from "./testing/random-session";

const RUNS = Number(process.env.FUZZ_RUNS ?? 120);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);

describe("any session", () => {
  it(`replays the same (FUZZ_SEED=${SEED}, FUZZ_RUNS=${RUNS})`, { timeout: 5_000 * RUNS }, async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const session = await runSession(plan, { checkpointEvery: 20 });
        const outcome = replayText(probeProgram, session.sink.text());
        if (outcome.status !== 0) throw new Error(report("session", outcome, "test"));
        const live = stateHash(session.store.getState());
        expect(outcome.reducers.hash).toBe(live);
        expect(typeof outcome.sagas === "string" ? outcome.sagas : outcome.sagas.hash).toBe(live);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
