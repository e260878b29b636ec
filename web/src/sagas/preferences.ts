import { put, type SagaGenerator, takeEvery } from "typed-redux-saga";
import { TRACKING_LIFETIME_MS } from "../navigation";
import { now } from "../ports/ask";
import { navigationActions } from "../slices/navigation";
import { PREFERENCE_LIFETIME, preferencesActions } from "../slices/preferences";

/** LIM-2, NAV-6: what is kept gets the day on which it goes. */
export function* preferencesSaga(): SagaGenerator<void> {
  yield* put(preferencesActions.expired({ at: yield* now() }));

  yield* takeEvery(preferencesActions.chose, function* ({ payload: { name, value } }) {
    yield* put(preferencesActions.kept({ name, value, expires_at: (yield* now()) + PREFERENCE_LIFETIME }));
  });

  yield* takeEvery(navigationActions.pageOpened, function* ({ payload: { trk } }) {
    if (trk !== null)
      yield* put(preferencesActions.trkHeld({ value: trk, expires_at: (yield* now()) + TRACKING_LIFETIME_MS }));
  });
}
