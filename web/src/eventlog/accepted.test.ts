import type { UnknownAction } from "@reduxjs/toolkit";
import { put, type SagaGenerator, take } from "typed-redux-saga";
import { beforeAll, describe, expect, it } from "vitest";
import { callPort } from "../ports/world";
import { type Accepted, intendedIn, withAccepted } from "./accepted";
import { type Log, parseLog } from "./parse";
import { replayLog } from "./replay";
import type { Replayed } from "./replay-reducers";
import { actions, type ProbeState, probeProgram } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

const { order, page, search } = actions;

type Step = () => SagaGenerator<void>;

/** A saga that orders in one way, and then counts searches. */
const programThat = (orders: Step, searched = () => search.began()) => ({
  ...probeProgram,
  *rootSaga(): SagaGenerator<void> {
    yield* take(order.payPressed.type);
    yield* orders();
    for (;;) {
      yield* take(search.typed.type);
      yield* put(searched());
    }
  },
});

/** Shows a popup after the order is paid. */
const earlier: Step = function* () {
  yield* put(order.placed({ key: "k1" }));
  yield* callPort("api.getOrder", { id: 1 });
  yield* put(order.statusSeen({ status: "paid", version: 2 }));
  yield* put(page.popupShown());
};

/** Doesn't wait for the order, and shows no popup: an intended change. */
const today: Step = function* () {
  yield* put(order.placed({ key: "k1" }));
  yield* put(order.statusSeen({ status: "paid", version: 2 }));
};

const CAUSE = "orders no longer wait";
const BUILD = "0.1.0+abcdefabcdef";

describe("a session that differs as intended", () => {
  let log: Log;
  beforeAll(async () => {
    const session = startSession({ program: programThat(earlier), checkpointEvery: 1, answer: () => ({ id: 1 }) });
    await settled();
    session.store.dispatch(order.payPressed());
    await session.time.pass(100);
    session.store.dispatch(search.typed({ title: "final" }));
    log = parseLog(session.log());
  });

  const replayed = (program: typeof probeProgram, accepted: readonly Accepted[]) =>
    replayLog(program, log, { accepted: (build) => (build === "test" ? accepted : []) });

  it("differs, and once accepted is the same, with the cause", () => {
    const program = programThat(today);
    expect(replayed(program, []).sagas).toMatchObject({ divergence: { why: "extra-action" } });
    const accepted = intendedIn(program, log, CAUSE, BUILD);
    expect(accepted).toEqual([
      { cause: CAUSE, build: BUILD, why: "extra-action", what: "order/statusSeen", slices: ["order", "page"] },
    ]);
    const { status, sagas } = replayed(program, accepted);
    expect(status).toBe(0);
    expect((sagas as Replayed).warnings).toEqual([
      expect.stringMatching(/^line \d+: accepted since 0\.1\.0\+abcdefabcdef: orders no longer wait$/),
    ]);
  });

  it("still differs behind it by another slice, and by a turn that throws", () => {
    const accepted = intendedIn(programThat(today), log, CAUSE, BUILD);
    const other = replayed(
      programThat(today, () => search.failed({ code: "x" }) as never),
      accepted,
    );
    expect(other).toMatchObject({ status: 1, sagas: { divergence: { why: "state", slices: ["search"] } } });
    const throwing = programThat(today, () => {
      throw new Error("no search");
    });
    expect(replayed(throwing, accepted)).toMatchObject({
      status: 1,
      sagas: { divergence: { why: "crash", got: "Error: no search" } },
    });
    expect(() => intendedIn(throwing, log, CAUSE, BUILD)).toThrow("a turn threw Error: no search");
  });

  it("differs by another first difference", () => {
    const accepted = intendedIn(programThat(today), log, CAUSE, BUILD);
    const lost = programThat(function* () {
      yield* put(order.gaveUp());
    });
    expect(replayed(lost, accepted)).toMatchObject({ status: 1, sagas: { divergence: { why: "different-action" } } });
  });

  it("is accepted for reducers by the slices that differ", () => {
    const reducer = (state: ProbeState | undefined, action: UnknownAction): ProbeState => {
      const next = (probeProgram.reducer as (state: ProbeState | undefined, action: UnknownAction) => ProbeState)(
        state,
        action,
      );
      return action.type === page.popupShown.type ? { ...next, page: { ...next.page, popup: false } } : next;
    };
    const program = { ...programThat(earlier), reducer };
    const accepted = intendedIn(program, log, CAUSE, BUILD);
    expect(accepted).toMatchObject([{ why: "state", what: null, slices: ["page"] }, { why: "state" }]);
    expect(replayed(program, [])).toMatchObject({ status: 1, reducers: { same: false } });
    expect(replayed(program, withAccepted([], accepted))).toMatchObject({
      status: 0,
      reducers: { warnings: [expect.stringContaining(CAUSE)] },
    });
    const wrong = accepted.map((entry) => ({ ...entry, slices: ["search"] }));
    expect(replayed(program, wrong)).toMatchObject({ status: 1, reducers: { same: false } });
  });

  it("can't be accepted if it was edited", () => {
    const edited = { ...log, lines: log.lines.toSpliced(2, 1) };
    expect(() => intendedIn(programThat(earlier), edited, CAUSE, BUILD)).toThrow("the log was edited");
  });
});

it("differences of one cause join their slices", () => {
  const entry = (slices: readonly string[], cause = CAUSE): Accepted => ({
    cause,
    build: BUILD,
    why: "extra-action",
    what: "order/statusSeen",
    slices,
  });
  expect(withAccepted([entry(["page"])], [entry(["order"]), entry(["user"], "another")])).toEqual([
    entry(["order", "page"]),
    entry(["user"], "another"),
  ]);
});
