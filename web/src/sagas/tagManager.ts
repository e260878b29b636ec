import { type SagaGenerator, select, take } from "typed-redux-saga";
import { analyticsActions, selectConsent, selectContainer } from "../slices/analytics";
import { queryActions } from "../slices/queries";
import { tabActions } from "../slices/tabs";
import { attempt } from "./attempt";

/** What may make it known, or allowed. */
const CHANGES = [
  queryActions.loaded.type,
  analyticsActions.deviceKnown.type,
  analyticsActions.consentGiven.type,
  // The viewer agreed in another tab.
  tabActions.streamReceived.type,
  tabActions.snapshotReceived.type,
];

/** The viewer no longer agrees, here or in another tab. */
const REFUSALS = [
  analyticsActions.consentRefused.type,
  tabActions.streamReceived.type,
  tabActions.snapshotReceived.type,
];

/** ANA-5, ANA-7: the channel's container is loaded once a page, and not before the viewer lets it. */
export function* tagManagerSaga(): SagaGenerator<void> {
  let container = yield* select(selectContainer);
  for (; container === null; container = yield* select(selectContainer)) yield* take(CHANGES);
  yield* attempt("ui.openTagManager", { container });
  while ((yield* select(selectConsent)) !== "refused") yield* take(REFUSALS);
  // A script that was loaded can only be left behind.
  yield* attempt("storage.flush", {});
  yield* attempt("ui.reload", {});
}
