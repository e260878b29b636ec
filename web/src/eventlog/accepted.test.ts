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
      {
        cause: CAUSE,
        build: BUILD,
        why: "extra-action",
        what: "order/statusSeen",
        paths: ["order.at", "order.version", "page.popup"],
      },
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

  it("is accepted for reducers by the slices that differ if the recording build is unknown", () => {
    const reducer = (state: ProbeState | undefined, action: UnknownAction): ProbeState => {
      const next = (probeProgram.reducer as (state: ProbeState | undefined, action: UnknownAction) => ProbeState)(
        state,
        action,
      );
      return action.type === page.popupShown.type ? { ...next, page: { ...next.page, popup: false } } : next;
    };
    const program = { ...programThat(earlier), reducer };
    const accepted = intendedIn(program, log, CAUSE, BUILD);
    expect(accepted).toMatchObject([{ why: "state", what: null, paths: ["page"] }, { why: "state" }]);
    expect(replayed(program, [])).toMatchObject({ status: 1, reducers: { same: false } });
    expect(replayed(program, withAccepted([], accepted))).toMatchObject({
      status: 0,
      reducers: { warnings: [expect.stringContaining(CAUSE)] },
    });
    const wrong = accepted.map((entry) => ({ ...entry, paths: ["search"] }));
    expect(replayed(program, wrong)).toMatchObject({ status: 1, reducers: { same: false } });
  });

  /** Shows no popup, and is another wrong value of the same slice if `alsoOpened`. */
  const withoutPopup = (alsoOpened: boolean) => ({
    ...programThat(earlier),
    reducer: (state: ProbeState | undefined, action: UnknownAction): ProbeState => {
      const reduced = probeProgram.reducer as (state: ProbeState | undefined, action: UnknownAction) => ProbeState;
      const next = reduced(state, action);
      if (action.type !== page.popupShown.type) return next;
      return { ...next, page: { ...next.page, popup: false, opened: alsoOpened ? 9 : next.page.opened } };
    },
  });

  it("still differs by another value of an accepted slice, if the recording build is known", () => {
    const before = programThat(earlier);
    const accepted = intendedIn(withoutPopup(false), log, CAUSE, BUILD, before);
    expect(accepted).toMatchObject([
      { why: "state", paths: ["page.popup"] },
      { why: "state", paths: ["page.popup"] },
    ]);
    const options = { earlier: { program: before }, accepted: () => accepted };
    expect(replayLog(withoutPopup(false), log, options)).toMatchObject({ status: 0 });
    expect(replayLog(withoutPopup(true), log, options)).toMatchObject({
      status: 1,
      builds: { divergence: { changes: [{ path: "page.opened" }, { path: "page.popup" }] } },
      reducers: { divergence: { changes: [{ path: "page.opened", was: 0, is: 9 }, { path: "page.popup" }] } },
    });
  });

  it("still differs behind it by another value of an accepted slice", () => {
    const accepted = intendedIn(programThat(today), log, CAUSE, BUILD);
    const opening: Step = function* () {
      yield* today();
      yield* put(page.screenOpened());
    };
    expect(replayed(programThat(opening), accepted)).toMatchObject({
      status: 1,
      sagas: { divergence: { why: "state", slices: expect.arrayContaining(["page"]) } },
    });
  });

  it("can't be accepted if it was edited", () => {
    const edited = { ...log, lines: log.lines.toSpliced(2, 1) };
    expect(() => intendedIn(programThat(earlier), edited, CAUSE, BUILD)).toThrow("the log was edited");
  });
});

it("differences of one cause join their values", () => {
  const entry = (paths: readonly string[], cause = CAUSE): Accepted => ({
    cause,
    build: BUILD,
    why: "extra-action",
    what: "order/statusSeen",
    paths,
  });
  expect(withAccepted([entry(["page"])], [entry(["order"]), entry(["user"], "another")])).toEqual([
    entry(["order", "page"]),
    entry(["user"], "another"),
  ]);
});
