import type { UnknownAction } from "@reduxjs/toolkit";
import { beforeAll, describe, expect, it } from "vitest";
import type { Accepted } from "./accepted";
import type { Earlier } from "./compareFolds";
import { type Log, parseLog } from "./parse";
import { replayLog } from "./replay";
import { report } from "./report";
import { actions, type ProbeState, probeProgram } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

const { order, search } = actions;

type Reducer = (state: ProbeState | undefined, action: UnknownAction) => ProbeState;
const reduced = probeProgram.reducer as Reducer;

/** The program with another reducer on top. */
const reducing = (reducer: (before: ProbeState, action: UnknownAction) => ProbeState) => ({
  ...probeProgram,
  reducer: ((state, action) => reducer(reduced(state, action), action)) as Reducer,
});

/** Is busy while nothing is searched, until the search starts. */
const impatient = reducing((state, { type }) =>
  type === search.typed.type ? { ...state, search: { ...state.search, busy: true } } : state,
);

const recording: Earlier = { program: probeProgram };

describe("a session of a build whose reducers are known", () => {
  let log: Log;
  beforeAll(async () => {
    const session = startSession({ answer: () => ({ data: [] }) });
    await settled();
    session.store.dispatch(search.typed({ title: "final" }));
    await session.time.pass(1_000);
    session.store.dispatch(order.payPressed());
    log = parseLog(session.log());
    expect(log.lines.filter(({ kind }) => kind === "checkpoint")).toHaveLength(1);
  });

  const typedAt = () => log.lines.findIndex(({ type }) => type === search.typed.type) + 2;

  it("is the same for the build that recorded it", () => {
    const outcome = replayLog(probeProgram, log, { earlier: recording });
    expect(outcome).toMatchObject({ status: 0, builds: { same: true, warnings: [] } });
    expect(report("x", outcome, "later")).toMatch(/^recording build: same, \d+ actions folded by both builds$/m);
  });

  it("differs by a wrong state that no checkpoint has", () => {
    expect(replayLog(impatient, log).status).toBe(0);
    const outcome = replayLog(impatient, log, { earlier: recording });
    expect(outcome).toMatchObject({
      status: 1,
      kind: "diverged",
      builds: {
        divergence: {
          why: "state",
          line: typedAt(),
          slices: ["search"],
          changes: [{ path: "search.busy", was: false, is: true }],
        },
      },
    });
    expect(report("x", outcome, "later")).toContain(
      `line ${typedAt()}: after search/typed, the states of the two builds differ (state)\n` +
        "  search.busy: was false, is true\n  slices that differ: search\n",
    );
  });

  it("stays the same for a new field of a slice's initial state", () => {
    const counting = reducing((state) => ({ ...state, search: Object.assign({ presses: 0 }, state.search) }));
    expect(replayLog(counting, log, { earlier: recording })).toMatchObject({ status: 0, builds: { same: true } });
  });

  it("stays the same for an accepted difference, and says so", () => {
    const accepted: Accepted[] = [
      { cause: "busy at once", build: "0.1.0+abcdefabcdef", why: "state", what: null, paths: ["search.busy"] },
    ];
    expect(replayLog(impatient, log, { earlier: recording, accepted: () => accepted })).toMatchObject({
      status: 0,
      builds: { same: true, warnings: [expect.stringMatching(/^line \d+: accepted .*: busy at once$/)] },
    });
  });

  it("isn't compared if the build isn't known, or doesn't replay it", () => {
    const unknown = replayLog(probeProgram, log, { earlier: { unknown: "no commit" } });
    expect(unknown).toMatchObject({ status: 0, builds: "no commit" });
    expect(report("x", unknown, "later")).toContain("recording build: not compared: no commit");
    const other = reducing((state) => ({ ...state, search: { ...state.search, searches: 9 } }));
    expect(replayLog(probeProgram, log, { earlier: { program: other } })).toMatchObject({
      status: 0,
      builds: "its commit does not replay its own recording",
    });
  });
});
