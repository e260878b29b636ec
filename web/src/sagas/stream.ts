import { call, fork, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { RootState } from "../slices/index";
import { selectTab, tabActions } from "../slices/tabs";

type StreamedAction = { readonly type: string; readonly payload?: unknown };

/** Runs `work` for each action of these types, dispatched by this page or received in the leader's stream. */
export function* takeEveryFromStream<A extends StreamedAction>(
  creators: readonly { readonly type: string; match(action: StreamedAction): action is A }[],
  work: (action: A) => SagaGenerator<void>,
): SagaGenerator<void> {
  yield* takeEvery(
    creators.map(({ type }) => type),
    function* (action: StreamedAction) {
      yield* call(work, action as A);
    },
  );
  yield* takeEvery(tabActions.streamReceived, function* ({ payload: { actions } }) {
    for (const action of actions) for (const creator of creators) if (creator.match(action)) yield* fork(work, action);
  });
}

/** Returns once the state satisfies `isSo`. */
export function* until(isSo: (state: RootState) => boolean): SagaGenerator<void> {
  while (!(yield* select(isSo))) yield* take("*");
}

/** Returns once the leader has folded everything that this page posted; immediately in the leader. */
export function* untilAnswered(): SagaGenerator<void> {
  yield* until((state) => selectTab(state).pending.length === 0);
}
