import type { UnknownAction } from "@reduxjs/toolkit";
import createSagaMiddleware, { channel, eventChannel } from "redux-saga";
import * as effects from "redux-saga/effects";
import { describe, expect, it, vi } from "vitest";
import { callPort, sleep } from "../ports/world";
import { createStrictEffects } from "./strict";
import { actions } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

describe("rule 6, allowed effects in sagas", () => {
  const reused = { type: "reused" };
  const worker = function* () {};
  const sagas: Record<string, () => Generator> = {
    delay: function* () {
      yield effects.delay(1);
    },
    throttle: function* () {
      yield effects.throttle(1, "input", worker);
    },
    debounce: function* () {
      yield effects.debounce(1, "input", worker);
    },
    retry: function* () {
      yield effects.retry(2, 1, () => {
        throw new Error("again");
      });
    },
    "a call of an async function": function* () {
      yield effects.call(async () => 1);
    },
    "a fork of an async function": function* () {
      yield effects.fork(async () => {});
    },
    "a promise": function* () {
      yield Promise.resolve(1);
    },
    eventChannel: function* () {
      yield effects.take(eventChannel(() => () => {}));
    },
    putResolve: function* () {
      yield effects.putResolve({ type: "put" });
    },
    "cps outside callPort": function* () {
      yield effects.cps((done: (error: null) => void) => done(null));
    },
    "a put of a frozen action": function* () {
      yield effects.put(Object.freeze({ type: "frozen" }));
    },
    "a put of one action twice": function* () {
      yield effects.put(reused);
      yield effects.put(reused);
    },
    "a put that is not JSON": function* () {
      yield effects.put({ type: "dated", payload: { at: new Date(0) } });
    },
    "a put with more than a payload": function* () {
      yield effects.put({ type: "told", payload: 1, meta: 2 });
    },
  };
  const allowed: Record<string, () => Generator> = {
    ask: function* () {
      yield* callPort("api.getGeo", {});
    },
    sleep: function* () {
      yield* sleep("nap", 10);
    },
    "take, race, all, fork, join, cancel, channels and select": function* () {
      const queue = channel<{ type: string }>();
      yield effects.put(queue, { type: "queued" });
      yield effects.take(queue);
      yield effects.select();
      yield effects.actionChannel("input");
      yield effects.takeLatest("input", worker);
      const task: never = (yield effects.fork(worker)) as never;
      yield effects.all([effects.call(worker), effects.join(task)]);
      yield effects.cancel((yield effects.spawn(worker)) as never);
      yield effects.race([effects.take("input"), effects.call(worker)]);
      yield effects.put({ type: "put", payload: { list: [1, null, "x", { deep: true }] } });
    },
  };

  /** Runs a saga under the strict effects and returns the error that ended it. */
  function diedOf(saga: () => Generator): unknown {
    const died: unknown[] = [];
    const world = { now: () => 0, call() {}, draw: () => 0, newId: () => "" };
    const middleware = createSagaMiddleware({
      context: { world },
      effectMiddlewares: [createStrictEffects()],
      onError: (error) => void died.push(error),
    });
    const dispatch = vi.fn((action: UnknownAction) => action);
    const pass = middleware({ getState: () => ({}), dispatch: dispatch as never })((action) => action);
    middleware.run(saga);
    pass({ type: "input" } as never);
    pass({ type: "input" } as never);
    return died[0];
  }

  it.each(Object.entries(sagas))("is enforced: %s is refused at once", (_name, saga) => {
    expect(diedOf(saga)).toMatchObject({ message: expect.stringContaining("sagas reach the world only") });
  });

  it.each(Object.entries(allowed))("allows safe effects: %s", (_name, saga) => {
    expect(diedOf(saga)).toBeUndefined();
  });

  it("finds nothing to refuse in the sagas that the fuzz runs", async () => {
    const session = startSession({ effectMiddlewares: [createStrictEffects()], answer: () => ({ data: [1] }) });
    await settled();
    session.store.dispatch(actions.search.typed({ title: "cup" }));
    session.store.dispatch(actions.probes.asked({ n: 1 }));
    session.store.dispatch(actions.order.payPressed());
    await session.time.pass(9000);
    expect(session.reported).toEqual([]);
    expect(session.store.getState().page.crashes).toEqual([]);
  });
});
