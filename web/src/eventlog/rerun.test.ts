import { fork, put, type SagaGenerator, take } from "typed-redux-saga";
import { beforeAll, describe, expect, it } from "vitest";
import { callPort, newId, sleep } from "../ports/world";
import type { AnyProgram } from "./folding";
import { fileLine, type Log, parseLog } from "./parse";
import { replayReducers } from "./replay-reducers";
import { rerun } from "./rerun";
import { actions, probeProgram } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

const { order, page } = actions;

/** A saga that orders once, and sees the order's status through `see`. */
const programThat = (see: (status: "paid" | "failed") => SagaGenerator<void>): typeof probeProgram => ({
  ...probeProgram,
  *rootSaga(): SagaGenerator<void> {
    yield* take(order.payPressed.type);
    yield* put(order.placed({ key: yield* newId("order") }));
    const { status } = yield* callPort("api.getOrder", { id: 1 });
    yield* see(status as "paid" | "failed");
  },
});

/** Reports a declined order as paid, and then reads what a buyer may watch. */
const faulty = programThat(function* () {
  yield* put(order.statusSeen({ status: "paid", version: 2 }));
  yield* callPort("api.getEvent", { id: 1 });
  yield* put(page.wentLive());
});

const fixed = programThat(function* (status) {
  yield* put(order.statusSeen({ status, version: 2 }));
  yield* newId("receipt");
  yield* fork(sleep, "receipt", 500);
  yield* callPort("api.getEvent", { id: 2 });
});

describe("a session with a saga's fault", () => {
  let log: Log;
  let seen: number;
  let answered: number;
  beforeAll(async () => {
    const session = startSession({
      program: faulty,
      answer: (method) => (method === "api.getOrder" ? { id: 1, status: "failed", version: 2 } : { id: 1 }),
    });
    await settled();
    session.store.dispatch(order.payPressed());
    await settled();
    session.store.dispatch(page.screenOpened());
    log = parseLog(session.log());
    seen = fileLine(log.lines.findIndex(({ type }) => type === "order/statusSeen"));
    answered = fileLine(log.lines.findIndex(({ type }) => type === "api.getEvent"));
  });

  const last = (): number => fileLine(log.lines.length - 1);

  it("reaches the wrong state again while the fault exists, without a note", () => {
    const { state, notes } = rerun(faulty, log, seen);
    expect(state.order).toMatchObject({ at: "paid" });
    expect(rerun(faulty, log, last()).notes).toEqual([]);
    expect(notes).toEqual([]);
  });

  it("reaches the right state once it is fixed, although the log differs from there on", () => {
    expect(rerun(fixed, log, seen).state.order).toMatchObject({ at: "failed" });
    const { state, notes } = rerun(fixed, log, last());
    expect(state).toMatchObject({ order: { at: "failed" }, page: { live: false, opened: 1 } });
    expect(notes).toEqual([
      `line ${answered}: nothing asked for the answer to api.getEvent:1#1`,
      "the log has no answer to api.getEvent:2#1",
    ]);
  });

  it("ends with the turn of a step in its middle, and with the log", () => {
    const before = log.lines.findIndex(({ type }) => type === "order/placed");
    expect(rerun(fixed, log, fileLine(before)).state.order).toMatchObject({ at: "processing" });
    expect(rerun(fixed, log, 1).state.order).toMatchObject({ at: "idle" });
    expect(rerun(fixed, log, last() + 100).state).toEqual(rerun(fixed, log, last()).state);
  });

  it("goes on after a turn that throws, and notes it with its stack", () => {
    const throwing: AnyProgram = {
      ...fixed,
      reducer: (state: never, action) => {
        if (action.type === page.screenOpened.type) throw new Error("a broken reducer");
        return fixed.reducer(state, action);
      },
    };
    const { state, notes } = rerun(throwing, log, last());
    expect(state).toMatchObject({ order: { at: "failed" }, page: { opened: 0 } });
    expect(notes).toContainEqual(
      expect.stringMatching(/^line \d+: its turn threw Error: a broken reducer\n.*rerun\.test/),
    );
  });

  it("folds the recorded actions where the sagas can't run, and notes why", () => {
    const [first, ...rest] = log.lines.slice(3);
    const headless: Log = { ...log, lines: first ? [first, ...rest] : [] };
    expect(rerun(fixed, headless, last())).toEqual({
      state: replayReducers(fixed, headless).state,
      notes: [expect.stringContaining("its first segments were removed: the recorded actions were folded")],
    });
    const gap = { ...log.lines[1], kind: "gap", type: "lost", payload: { from: 2, to: 2, reason: "full" } };
    const broken = { ...log, lines: log.lines.with(1, gap as never) };
    expect(rerun(fixed, broken, last()).notes).toEqual([expect.stringContaining("line 3 is a gap")]);
    expect(rerun(fixed, broken, 2).notes).toEqual([]);
  });
});

it("on the recording build, each step of a session reaches its recorded state", async () => {
  const session = startSession({ answer: (_method, { id }) => ({ id, status: "created", data: [] }) });
  await settled();
  session.store.dispatch(actions.search.typed({ title: "final" }));
  session.store.dispatch(actions.probes.asked({ n: 1 }));
  session.store.dispatch(order.payPressed());
  await session.time.pass(5_000);
  const log = parseLog(session.log());
  const ends = log.lines.flatMap(({ kind, origin }, index) =>
    kind !== "checkpoint" && origin === "saga" && log.lines[index + 1]?.origin !== "saga" ? [index] : [],
  );
  expect(ends.length).toBeGreaterThan(5);
  for (const index of ends) {
    const { state } = replayReducers(probeProgram, { ...log, lines: log.lines.slice(0, index + 1) });
    expect(rerun(probeProgram, log, fileLine(index)), `line ${fileLine(index)}`).toEqual({ state, notes: [] });
  }
});
