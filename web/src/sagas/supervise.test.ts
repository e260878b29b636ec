import { type Action, applyMiddleware, legacy_createStore as createStore } from "@reduxjs/toolkit";
import createSagaMiddleware from "redux-saga";
import { put, type SagaGenerator, spawn, take } from "typed-redux-saga";
import { describe, expect, it } from "vitest";
import type { Done, World } from "../ports/world";
import { supervise } from "./supervise";

/** Runs processes in parallel, and ends their sleeps by hand. */
function run(processes: [string, () => SagaGenerator<void>][]) {
  const actions: Action[] = [];
  const sleeps: { ms: number; done: Done }[] = [];
  let now = 0;
  const world: World = {
    now: () => now,
    draw: () => 0.5,
    newId: () => "id",
    call: (_method, args, done) => void sleeps.push({ ms: (args as { ms: number }).ms, done }),
  };
  const saga = createSagaMiddleware({ context: { world } });
  const store = createStore((_: null | undefined, action: Action) => {
    actions.push(action);
    return null;
  }, applyMiddleware(saga));
  saga.run(function* () {
    for (const [name, process] of processes) yield* spawn(supervise, name, process);
  });
  return {
    told: actions,
    sleeps,
    dispatch: store.dispatch,
    wake() {
      const sleep = sleeps.shift();
      if (!sleep) throw new Error("nothing sleeps");
      now += sleep.ms;
      sleep.done(null, null);
    },
    later: (ms: number) => {
      now += ms;
    },
  };
}

describe("a supervisor", () => {
  it("reports a crash, leaves the other processes alone, and restarts the process", () => {
    let runs = 0;
    const session = run([
      [
        "fragile",
        function* () {
          runs += 1;
          yield* take("break");
          throw new Error("broken");
        },
      ],
      [
        "sturdy",
        function* () {
          yield* take("later");
          yield* put({ type: "sturdy/alive" });
        },
      ],
    ]);
    session.dispatch({ type: "break" });
    expect(session.told.at(-1)).toEqual({
      type: "supervisor/sagaCrashed",
      payload: { saga: "fragile", message: "broken" },
    });
    session.dispatch({ type: "later" });
    expect(session.told.at(-1)).toEqual({ type: "sturdy/alive" });
    expect(runs).toBe(1);
    session.wake();
    expect(runs).toBe(2);
    expect(session.told.at(-1)).toEqual({ type: "supervisor/sagaRestarted", payload: { saga: "fragile" } });
  });

  it("waits increasingly for one that keeps crashing, and resets after a healthy while", () => {
    const session = run([
      [
        "fragile",
        function* () {
          yield* take("break");
          throw new Error("broken");
        },
      ],
    ]);
    const waits: number[] = [];
    for (let crash = 0; crash < 8; crash += 1) {
      session.dispatch({ type: "break" });
      waits.push(session.sleeps[0]?.ms ?? -1);
      session.wake();
    }
    expect(waits).toEqual([2_000, 3_000, 5_000, 9_000, 17_000, 31_000, 31_000, 31_000]);
    session.later(60_001);
    session.dispatch({ type: "break" });
    expect(session.sleeps[0]?.ms).toBe(1_500);
  });
});
