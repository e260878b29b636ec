import { type SagaGenerator, select, take } from "typed-redux-saga";
import { analyticsActions, selectContainer } from "../slices/analytics";
import { queryActions } from "../slices/queries";
import { factsHeard } from "../slices/tabs";
import { attempt } from "./attempt";

/** What may make it known, or allowed. */
const CHANGES = [
  queryActions.loaded.type,
  analyticsActions.deviceKnown.type,
  analyticsActions.consentGiven.type,
  // The viewer agreed in another tab.
  factsHeard.type,
];

/** ANA-5, ANA-7: the channel's container is loaded once a page, and not before the viewer lets it. */
export function* tagManagerSaga(): SagaGenerator<void> {
  for (;;) {
    const container = yield* select(selectContainer);
    if (container !== null) {
      yield* attempt("ui.openTagManager", { container });
      return;
    }
    yield* take(CHANGES);
  }
}
