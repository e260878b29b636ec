import { fork, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import { SECOND } from "../lib/time";
import { THROTTLED } from "../ports/error";
import { newId, now, sleepUntil } from "../ports/world";
import { throttled } from "../slices/errorScreen";
import type { RootState } from "../slices/index";
import { selectToasts, TOAST_TIME, type Toast, toastActions } from "../slices/toast";

/** Remaining time of a toast after hover or focus ends. */
const AFTER_HOVER = 2 * SECOND;
const MAX_DURATION = 60 * SECOND;

/** ERR-1: one notice, however many calls were throttled at once and whoever reports it. */
const selectThrottled = (state: RootState): boolean => selectToasts(state).some(({ text }) => text === THROTTLED);

/** TOAST-1. */
export function* toastSaga(): SagaGenerator<void> {
  // A reload ends the hover of the previous page's toasts.
  for (const { id, until } of yield* select(selectToasts)) {
    if (until === null) yield* dismissLater(id);
    else yield* fork(expire, id, until);
  }

  yield* takeEvery(toastActions.wanted, function* ({ payload: { text, type = "info", time = TOAST_TIME } }) {
    if (text === THROTTLED && (yield* select(selectThrottled))) return;
    const toast: Toast = {
      id: yield* newId("toast"),
      text,
      type,
      until: (yield* now()) + Math.min(time, MAX_DURATION),
    };
    yield* put(toastActions.shown({ ...toast }));
    yield* fork(expire, toast.id, toast.until ?? 0);
  });

  yield* takeEvery(toastActions.released, ({ payload: { id } }) => dismissLater(id));

  yield* takeEvery(throttled, function* () {
    if (yield* select(selectThrottled)) return;
    yield* put(toastActions.wanted({ text: THROTTLED, type: "error" }));
  });
}

function* dismissLater(id: string): SagaGenerator<void> {
  const until = (yield* now()) + AFTER_HOVER;
  yield* put(toastActions.extended({ id, until }));
  yield* fork(expire, id, until);
}

function* expire(id: string, until: number): SagaGenerator<void> {
  const isThrottledToast = (action: { type: string; payload?: unknown }): boolean =>
    (toastActions.held.match(action) || toastActions.closed.match(action)) && action.payload.id === id;
  const { time } = yield* race({ time: timer(until), over: take(isThrottledToast) });
  if (time) yield* put(toastActions.closed({ id }));
}

function* timer(until: number): SagaGenerator<true> {
  yield* sleepUntil("toast", until, MAX_DURATION);
  return true;
}
