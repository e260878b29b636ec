import { describe, expect, it } from "vitest";
import type { Line } from "./envelope";
import { stateHash } from "./hash";
import { parseLog } from "./parse";
import { replayText } from "./replay";
import { report } from "./report";
import { actions, probeProgram } from "./testing/probe-program";
import { BEGAN, type ProbeSession, startSession } from "./testing/session";
import { createVirtualTime, settled } from "./testing/virtual-time";

const linesOf = (session: ProbeSession): readonly Line[] => parseLog(session.sink.text()).lines;

/** Replays a session's log and expects both replays to end where the session did. */
function expectSame(session: ProbeSession): void {
  const outcome = replayText(probeProgram as never, session.log());
  if (outcome.status !== 0) throw new Error(report("session", outcome, "test"));
  const hash = stateHash(session.store.getState());
  expect(outcome.reducers.hash).toBe(hash);
  expect(typeof outcome.sagas === "string" ? outcome.sagas : outcome.sagas.hash).toBe(hash);
}

describe("a recorded session", () => {
  it("replays to the same state", async () => {
    const session = startSession({ answer: (method) => (method === "sync.connect" ? { epoch: "e" } : { data: [1] }) });
    await settled();
    session.store.dispatch(actions.search.typed({ title: "finals" }));
    await session.time.pass(1000);
    expect(session.store.getState().search.hits).toEqual([1]);
    expect(session.store.getState().page.live).toBe(true);
    expectSame(session);
  });
});
