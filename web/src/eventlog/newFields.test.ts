import type { UnknownAction } from "@reduxjs/toolkit";
import { call, fork, put, type SagaGenerator, take } from "typed-redux-saga";
import { beforeAll, describe, expect, it } from "vitest";
import { callPort, draw, newId, sleep } from "../ports/world";
import type { Line } from "./envelope";
import { addedFields } from "./newFields";
import { type Log, parseLog } from "./parse";
import { replayLog } from "./replay";
import { report } from "./report";
import { actions, type ProbeState, probeProgram } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

const { order, page } = actions;

type Placed = Parameters<typeof order.placed>[0];

/** A saga that runs `beside`, orders by `placed`, and waits for the order's answer. */
const programThat = (
  placed: (payload: Placed) => UnknownAction,
  beside: () => SagaGenerator<void> = function* () {},
) => ({
  ...probeProgram,
  *rootSaga(): SagaGenerator<void> {
    yield* fork(beside);
    for (let count = 1; ; count++) {
      yield* take(order.payPressed.type);
      yield* put(placed({ key: `k${count}` }));
      yield* callPort("api.getOrder", { id: 1 });
      yield* put(order.statusSeen({ status: "paid", version: 2 }));
      yield* call(sleep, "poll", 500);
    }
  },
});
const withCoupon = (payload: Placed) => order.placed({ ...payload, coupon: "KICKOFF20" } as Placed);
/** Has a coupon in the second order. */
const orders = (payload: Placed) => (payload.key === "k2" ? withCoupon(payload) : order.placed(payload));
const recording = programThat(orders);

type Reducer = (state: ProbeState | undefined, action: UnknownAction) => ProbeState;
const reduced = probeProgram.reducer as Reducer;

/** The program with another reducer on top. */
const reducing = (program: typeof recording, reducer: (before: ProbeState, action: UnknownAction) => ProbeState) => ({
  ...program,
  reducer: ((state, action) => reducer(reduced(state, action), action)) as Reducer,
});

describe("a session of an earlier build", () => {
  let log: Log;
  beforeAll(async () => {
    const session = startSession({
      program: recording,
      checkpointEvery: 1,
      answer: () => ({ id: 1, status: "paid", version: 2 }),
    });
    await settled();
    session.store.dispatch(page.screenOpened());
    for (let press = 1; press <= 2; press++) {
      session.store.dispatch(order.payPressed());
      await session.time.pass(1_000 * press);
    }
    session.store.dispatch(page.screenClosed());
    log = parseLog(session.log());
    expect(log.lines.filter(({ kind }: Line) => kind === "checkpoint").length).toBeGreaterThan(3);
  });

  const replayed = (program: typeof recording) => {
    const outcome = replayLog(program, log);
    const { reducers, sagas } = outcome;
    const warnings = typeof sagas === "string" ? [] : sagas.warnings;
    return { status: outcome.status, warnings: [...new Set([...reducers.warnings, ...warnings])], outcome };
  };

  it("stays the same for a new background timer", () => {
    const { status, warnings, outcome } = replayed(
      programThat(orders, function* () {
        for (;;) yield* sleep("heartbeat", 60_000);
      }),
    );
    expect(status, report("x", outcome, "later")).toBe(0);
    expect(warnings).toEqual([]);
  });

  it("stays the same for a new background timer that draws its jitter", () => {
    const { status, outcome } = replayed(
      programThat(orders, function* () {
        for (;;) yield* sleep("heartbeat", 60_000 * (1 + (yield* draw("heartbeat"))));
      }),
    );
    expect(status, report("x", outcome, "later")).toBe(0);
  });

  it("differs by a new draw without a new timer, by an action that has one, and by a new id", () => {
    const drawing = programThat(orders, function* () {
      while ((yield* draw("heartbeat")) < 0.6);
    });
    expect(replayed(drawing).outcome.sagas).toMatchObject({
      divergence: { why: "different-draw", got: { call: "draw:heartbeat#1" } },
    });
    const once = programThat(orders, function* () {
      yield* draw("heartbeat");
    });
    expect(replayed(once).outcome.sagas).toMatchObject({ divergence: { why: "different-draw", line: 2 } });
    const drawn = programThat(orders, function* () {
      yield* take(page.screenOpened.type);
      yield* put(order.pollDue({ due: yield* draw("heartbeat") }));
    });
    expect(replayed(drawn).outcome.sagas).toMatchObject({ divergence: { why: "different-draw" } });
    const named = programThat(orders, function* () {
      yield* newId("heartbeat");
    });
    expect(replayed(named).outcome.sagas).toMatchObject({ divergence: { why: "different-draw" } });
  });

  it("differs by a new call that is no timer, and by another timer of a name that it has", () => {
    const calling = programThat(orders, function* () {
      yield* callPort("api.getEvent", { id: 7 });
    });
    expect(replayed(calling).outcome.sagas).toMatchObject({ divergence: { why: "state" } });
    const sleeping = programThat(orders, () => sleep("poll", 60_000));
    expect(replayed(sleeping).outcome.sagas).toMatchObject({ divergence: { why: "state" } });
  });

  it("stays the same for a new field of an action, stored or not, and names it", () => {
    const placed = (payload: Placed) => orders({ ...payload, source: "button" } as Placed);
    const warnings = ["actions with fields that the log does not have: order/placed source"];
    expect(replayed(programThat(placed))).toMatchObject({ status: 0, warnings });
    const storing = reducing(programThat(placed), (state, { type, payload }) =>
      type === order.placed.type
        ? { ...state, order: Object.assign({ source: (payload as { source?: string }).source }, state.order) }
        : state,
    );
    expect(replayed(storing)).toMatchObject({ status: 0, warnings });
  });

  it("differs by a field that another action of the type has in the log", () => {
    const { sagas } = replayed(programThat(withCoupon)).outcome;
    expect(sagas).toMatchObject({ divergence: { why: "different-action", expected: { payload: { key: "k1" } } } });
  });

  it("differs by another value of an action's field", () => {
    const other = programThat((payload) => order.placed({ ...payload, key: "k2", source: "button" } as Placed));
    expect(replayed(other).outcome.sagas).toMatchObject({ divergence: { why: "different-action" } });
  });

  it("stays the same for new fields of a slice's initial state, and names them", () => {
    const counting = reducing(recording, (state, { type }) => {
      const presses = (state.order as { presses?: number }).presses ?? 0;
      const next = { ...state.order, presses: type === order.payPressed.type ? presses + 1 : presses, note: null };
      return { ...state, order: next };
    });
    expect(replayed(counting)).toMatchObject({
      status: 0,
      warnings: ["not compared, because the log has no such fields: order.presses, order.note"],
    });
  });

  it("differs by another value beside a new field of a slice, and by a field that came later", () => {
    const wrong = reducing(recording, (state) => ({
      ...state,
      order: { ...state.order, presses: 0, version: state.order.version * 2 },
    }));
    expect(replayed(wrong).outcome.reducers).toMatchObject({ divergence: { why: "state", slices: ["order"] } });
    const later = reducing(recording, (state) =>
      state.order.at === "paid" ? { ...state, order: Object.assign({ popup: true }, state.order) } : state,
    );
    expect(replayed(later).outcome.reducers).toMatchObject({ divergence: { why: "state", slices: ["order"] } });
  });
});

it("added fields are those of records, at any depth, with nothing else changed", () => {
  expect(addedFields({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }], d: null })).toEqual(["c", "d"]);
  expect(addedFields({ a: 1 }, { a: 1, b: undefined })).toEqual([]);
  for (const [expected, got] of [
    [{ a: 1 }, { a: 2, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ a: [1] }, { a: [1, 2] }],
    [{ byId: {} }, { byId: { "12": 1 } }],
    [null, { a: 1 }],
  ])
    expect(addedFields(expected, got), JSON.stringify(got)).toBeUndefined();
});
