import { type SagaGenerator, select, take } from "typed-redux-saga";
import { analyticsActions, selectConsent, selectContainer } from "../slices/analytics";
import { queryActions } from "../slices/queries";
import { tabActions } from "../slices/tabs";
import { attempt } from "./attempt";

/** Actions that may make it known or allowed. */
const CHANGES = [
  queryActions.loaded.type,
  analyticsActions.deviceKnown.type,
  analyticsActions.consentGiven.type,
  // The viewer consented in another tab.
  tabActions.streamReceived.type,
  tabActions.snapshotReceived.type,
];

/** Actions after which the viewer may no longer consent, here or in another tab. */
const REFUSALS = [
  analyticsActions.consentRefused.type,
  tabActions.streamReceived.type,
  tabActions.snapshotReceived.type,
];

/** ANA-5, ANA-7: loads the channel's container once per page, and only with the viewer's consent. */
export function* tagManagerSaga(): SagaGenerator<void> {
  let container = yield* select(selectContainer);
  for (; container === null; container = yield* select(selectContainer)) yield* take(CHANGES);
  yield* attempt("ui.openTagManager", { container });
  while ((yield* select(selectConsent)) !== "refused") yield* take(REFUSALS);
  // A loaded script can only be removed by a reload.
  yield* attempt("storage.flush", {});
  yield* attempt("ui.reload", {});
}
