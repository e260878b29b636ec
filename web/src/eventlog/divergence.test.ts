import * as effects from "redux-saga/effects";
import { beforeAll, describe, expect, it } from "vitest";
import { draw, PortError } from "../ports/world";
import { misplaced } from "./divergence";
import type { Line, SnapshotLine } from "./envelope";
import type { AnyProgram } from "./folding";
import { fileLine, type Log, parseLog } from "./parse";
import { replayLog } from "./replay";
import { type Replayed, replayReducers } from "./replay-reducers";
import { replaySagas } from "./replay-sagas";
import { report } from "./report";
import { actions, probeProgram } from "./testing/probe-program";
import { away, type ProbeSession, startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

const logOf = (session: ProbeSession): Log => parseLog(session.log());
const withLines = (log: Log, lines: readonly unknown[]): Log => ({ ...log, lines: lines as Line[] });
const renumbered = (lines: readonly Line[]): Line[] => lines.map((line, index) => ({ ...line, seq: index + 1 }));

/** The probe program's file in a stack. */
const FILE = "probe-program.ts";

describe("a turn that threw", () => {
  let log: Log;
  let crashed: number;
  beforeAll(async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.page.poisoned());
    session.store.dispatch(actions.page.screenOpened());
    log = logOf(session);
    crashed = log.lines.findIndex(({ type }) => type === "crashed");
  });

  it("replays as one", () => {
    const { status, reducers, sagas } = replayLog(probeProgram, log);
    expect(status).toBe(0);
    // Reported although the log has the same crash.
    for (const replayed of [reducers, sagas as Replayed]) {
      expect(replayed.crashes).toEqual([
        { line: fileLine(crashed - 1), message: "Error: a poisoned reducer", stack: expect.stringContaining(FILE) },
      ]);
    }
  });

  it("is reported with its stack if a supervised saga crashed", async () => {
    const session = startSession({
      answer: () => {
        throw new PortError({ code: "poison", message: "Poisoned.", retryable: false });
      },
    });
    await settled();
    session.store.dispatch(actions.probes.asked({ n: 1 }));
    await settled();
    const log = logOf(session);
    const crash = log.lines.find(({ type }) => type === "page/sagaCrashed");
    expect(crash?.payload).toMatchObject({ message: "poisoned 10" });
    const { status, sagas } = replayLog(probeProgram, log);
    expect(status).toBe(0);
    const { crashes } = sagas as Replayed;
    // Port failures, and repeated failures of a saga's probes, aren't separate crashes.
    expect(crashes.map(({ message }) => message)).toEqual(["TypeError: poisoned 10"]);
    expect(crashes[0]?.stack).toMatch(/probe-program\.ts:\d+/);
    const answered = log.lines.findIndex((line) => line.kind === "effect" && line.call === "api.getEvent:10#1");
    expect(crashes[0]?.line).toBe(fileLine(answered));
  });

  it("diverges if the log doesn't record it", () => {
    const lines = log.lines.map((line, index) => (index === crashed ? { ...line, type: "requested" } : line));
    const silent = withLines(log, lines);
    expect(replaySagas(probeProgram, silent).divergence).toMatchObject({ why: "crash", line: fileLine(crashed) });
    const { divergence } = replayReducers(probeProgram, silent);
    expect(divergence).toMatchObject({ why: "crash", line: fileLine(crashed - 1), got: "Error: a poisoned reducer" });
    // The file and line of the code that threw.
    expect(divergence?.stack).toMatch(/a poisoned reducer\n.*probe-program\.ts:\d+/);
    expect(report("x", replayLog(probeProgram, silent), "later")).toMatch(/probe-program\.ts:\d+/);
  });

  it("diverges if it no longer throws", () => {
    const mended: AnyProgram = {
      ...probeProgram,
      reducer: (state: never, action) =>
        action.type === "page/poisoned" ? state : probeProgram.reducer(state as never, action),
    };
    expect(replaySagas(mended, log).divergence).toMatchObject({ why: "crash", line: fileLine(crashed), got: null });
  });
});

describe("a log that ends inside a turn", () => {
  const cutBefore = (log: Log, index: number) => replayLog(probeProgram, withLines(log, log.lines.slice(0, index)));
  const says = (line: number) => ({
    status: 3,
    kind: null,
    missing: [{ line, what: "the log ends inside a turn" }],
    sagas: { same: true, endsInTurn: line },
  });

  it("says so, whether an action or a draw of its last turn is missing, and differs in nothing", async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.order.payPressed());
    await session.time.pass(3000);
    const log = logOf(session);
    const cuts = log.lines.flatMap(({ origin, kind }, index) =>
      origin === "saga" && (kind === "action" || kind === "effect") ? [index] : [],
    );
    expect(new Set(cuts.map((index) => log.lines[index]?.kind))).toEqual(new Set(["action", "effect"]));
    for (const index of cuts) expect(cutBefore(log, index), `${index}`).toMatchObject(says(fileLine(index - 1)));
    const whole = log.lines.findIndex(({ kind, origin }, index) => index > 0 && kind === "action" && origin === "ui");
    expect(cutBefore(log, whole)).toMatchObject({
      status: 3,
      missing: [{ line: 2, what: "no checkpoint from here to the end" }],
    });
  });

  it("says so of a turn that threw", async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.page.poisoned());
    const log = logOf(session);
    const crashed = log.lines.findIndex(({ type }) => type === "crashed");
    expect(cutBefore(log, crashed)).toMatchObject(says(fileLine(crashed - 1)));
    expect(cutBefore(log, crashed + 1)).toMatchObject({ status: 0 });
  });
});

describe("a saga replay that has diverged", () => {
  it("runs no further, however long the saga would continue", async () => {
    let draws = 0;
    const program: AnyProgram = {
      ...probeProgram,
      rootSaga: function* (): Generator {
        yield effects.take(actions.page.wentLive.type);
        // Endless if each draw is answered with nothing.
        while ((yield* draw("weight")) < 0.1) draws += 1;
      } as never,
    };
    const session = startSession({ program: program as never });
    await settled();
    session.store.dispatch(actions.page.wentLive());
    const log = logOf(session);
    const lines = log.lines.filter(({ type }) => type !== "draw");
    expect(replaySagas(program, withLines(log, renumbered(lines))).divergence?.why).toBe("different-draw");
    expect(draws).toBeLessThanOrEqual(1);
  });
});

describe("a scheduled action when another one diverges", () => {
  it("isn't dispatched any more", async () => {
    const { wentLive, popupShown, screenOpened } = actions.page;
    const program: AnyProgram = {
      ...probeProgram,
      rootSaga: function* (): Generator {
        yield effects.takeEvery(wentLive.type, function* () {
          yield effects.put(screenOpened());
        });
        yield effects.takeEvery(wentLive.type, function* () {
          yield effects.put(popupShown());
        });
      } as never,
    };
    const session = startSession({ program: program as never });
    session.store.dispatch(wentLive());
    const log = logOf(session);
    expect(log.lines.slice(0, 3).map(({ type }) => type)).toEqual([wentLive, screenOpened, popupShown].map(String));
    const lines = log.lines.filter(({ type }) => type !== screenOpened.type);
    const replayed = replaySagas(program, withLines(log, renumbered(lines)));
    expect(replayed.divergence).toMatchObject({ why: "different-action", line: 3 });
    expect(replayed.state).toMatchObject({ page: { popup: false } });
  });
});

describe("the lines of a log", () => {
  const line = (seq: number, mono: number, more: object = {}) =>
    ({ seq, at: 0, mono, kind: "action", origin: "ui", type: "t", type_version: 1, payload: null, ...more }) as Line;
  const gap = (seq: number, from: number, to: number) =>
    line(seq, 9, { kind: "gap", type: "lost", payload: { from, to, reason: "full" } });

  it.each([
    ["one behind the other", [line(1, 0), line(2, 0)], undefined],
    ["one missing", [line(1, 0), line(3, 0)], "seq 3 follows seq 1"],
    ["one repeated", [line(1, 0), line(1, 0)], "seq 1 follows seq 1"],
    ["two swapped and renumbered", [line(1, 5), line(2, 4)], "mono 4 follows mono 5"],
    ["a gap with the right range", [line(1, 0), gap(5, 2, 4)], undefined],
    ["a gap with too short a range", [line(1, 0), gap(5, 3, 4)], "seq 5 follows seq 1"],
    ["a gap with too long a range", [line(1, 0), gap(5, 2, 6)], "seq 5 follows seq 1"],
  ])("are in the order they were written: %s", (_name, lines, wrong) => {
    expect(misplaced(lines, 1)).toBe(wrong);
  });

  it("start at a page load or a snapshot", () => {
    expect(misplaced([line(1, 0)], 0)).toBeUndefined();
    expect(misplaced([line(4, 0)], 0)).toBe("the lines before seq 4 are missing");
    expect(misplaced([line(4, 0, { kind: "snapshot" })], 0)).toBeUndefined();
  });
});

describe("a snapshot", () => {
  it("in the middle of a log is compared by both replays, with its calls and their counters", async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.page.screenOpened());
    const log = logOf(session);
    const last = log.lines.at(-1) as Line;
    const state = session.store.getState();
    const payload = {
      state,
      counters: { "sync.connect:": 1, "draw:backoff": 1, "clock.sleep:backoff": 1 },
      open: session.openCalls(),
    };
    const snapshot = {
      ...last,
      seq: last.seq + 1,
      kind: "snapshot",
      type: "rotated",
      payload,
    } as unknown as SnapshotLine;
    const checkpointWith = (changed: object): Log =>
      withLines(log, [
        ...log.lines,
        { ...snapshot, payload: { ...payload, ...changed } },
        { ...last, seq: snapshot.seq + 1 },
      ]);

    expect(replayLog(probeProgram, checkpointWith({})).status).toBe(0);
    const forged = checkpointWith({ state: { ...state, page: { ...state.page, opened: 2 } } });
    expect(replayReducers(probeProgram, forged).divergence).toMatchObject({ why: "state", slices: ["page"] });
    expect(replaySagas(probeProgram, forged).divergence).toMatchObject({ why: "state", slices: ["page"] });
    expect(replaySagas(probeProgram, checkpointWith({ open: [] })).divergence?.why).toBe("state");
    expect(replaySagas(probeProgram, checkpointWith({ counters: {} })).divergence?.why).toBe("state");
  });

  it("at the start of a log has the number of calls per name", async () => {
    const first = startSession({ answer: () => ({ epoch: "e" }) });
    await settled();
    const session = startSession({ answer: away, snapshot: first.store.getState() });
    await settled();
    const log = logOf(session);
    const counted = log.lines.map((line) => {
      if (line.kind === "snapshot") return { ...line, payload: { ...line.payload, counters: { "sync.connect:": 4 } } };
      return line.kind === "effect" && line.type === "sync.connect" ? { ...line, call: "sync.connect:#5" } : line;
    });
    expect(replaySagas(probeProgram, log).same).toBe(true);
    expect(replaySagas(probeProgram, withLines(log, counted)).same).toBe(true);
  });
});

describe("a call's arguments", () => {
  it("are compared by their digest", async () => {
    const session = startSession({ answer: (method) => (method === "sync.connect" ? { epoch: "e" } : away()) });
    await settled();
    const log = logOf(session);
    expect(replaySagas(probeProgram, log).warnings).toEqual([]);
    const lines = log.lines.map((line) =>
      line.kind === "effect" && line.type === "sync.connect"
        ? { ...line, payload: { ...line.payload, args: "00000000" } }
        : line,
    );
    expect(replaySagas(probeProgram, withLines(log, lines)).divergence).toMatchObject({
      why: "different-arguments",
      line: fileLine(lines.findIndex(({ type }) => type === "sync.connect")),
      expected: { call: "sync.connect:#1", args: "00000000" },
      got: { call: "sync.connect:#1", args: expect.stringMatching(/^[0-9a-f]{8}$/) },
    });
  });
});
