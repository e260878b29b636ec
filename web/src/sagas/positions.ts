import { fork, put, type SagaGenerator, select, takeLatest } from "typed-redux-saga";
import { isRefusal } from "../ports/error";
import { sleep } from "../ports/world";
import { authActions, selectLoggedIn } from "../slices/auth";
import { connectionInputs } from "../slices/connection";
import { positionsActions, selectPositions } from "../slices/positions";
import { attempt } from "./attempt";

/** Debounce of seeking, in milliseconds. */
const DEBOUNCE = 2_000;

/** PLAYBACK-1: saves positions that the account lacks; of two devices the later one wins. */
export function* positionsSaga(): SagaGenerator<void> {
  yield* takeLatest([positionsActions.noted, authActions.succeeded, connectionInputs.cameOnline], send);
  yield* fork(send);
}

function* send(): SagaGenerator<void> {
  if (!(yield* select(selectLoggedIn))) return;
  yield* sleep("positions.calm", DEBOUNCE);
  for (const { kept, ...position } of Object.values(yield* select(selectPositions))) {
    if (kept) continue;
    const sent = yield* attempt("api.savePlayback", position);
    if (sent.ok) yield* put(positionsActions.kept(sent.value));
    // A position of a missing video isn't sent again.
    else if (isRefusal(sent.error)) yield* put(positionsActions.kept(position));
    else return;
  }
}
