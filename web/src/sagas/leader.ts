import { call, cancel, fork, put, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import { outboxActions } from "../slices/outbox";
import { selectLeads, selectTab, tabActions } from "../slices/tabs";
import { storeQueued } from "./outbox";
import { until } from "./stream";
import { type Process, supervise } from "./supervise";

/** Runs the viewer's processes while this page leads. Each starts from the state, as after a reload. */
export const leaderSaga = (processes: readonly (readonly [name: string, process: Process])[]): Process =>
  function* () {
    for (;;) {
      yield* until(selectLeads);
      const work = yield* fork(function* () {
        for (const [name, process] of processes) yield* fork(supervise, name, process);
      });
      yield* take(tabActions.resigned);
      yield* cancel(work);
    }
  };

/** Executes followers' intents, and this page's own from before it led. */
export function* intentsSaga(): SagaGenerator<void> {
  yield* takeEvery(tabActions.intentReceived, function* ({ payload: { action } }) {
    yield* call(follow, action);
  });
  const { pending } = yield* select(selectTab);
  if (pending.length === 0) return;
  yield* put(tabActions.pendingTaken({ ids: pending.map(({ id }) => id) }));
  for (const { action } of pending) yield* call(follow, action);
}

function* follow(action: { type: string; payload?: unknown }): SagaGenerator<void> {
  // The library marks a put action, and an action in the state is frozen.
  yield* put({ ...action });
  // Its page may have closed before storing it.
  if (outboxActions.itemQueued.match(action)) yield* call(storeQueued, action.payload.id);
}
