import { put, type SagaGenerator, takeEvery } from "typed-redux-saga";
import { now } from "../ports/world";
import { PREFERENCE_LIFETIME, preferencesActions } from "../slices/preferences";

/** LIM-2: sets the expiry of stored preferences. */
export function* preferencesSaga(): SagaGenerator<void> {
  yield* put(preferencesActions.expired({ at: yield* now() }));

  yield* takeEvery(preferencesActions.chose, function* ({ payload: { name, value } }) {
    yield* put(preferencesActions.kept({ name, value, expires_at: (yield* now()) + PREFERENCE_LIFETIME }));
  });
}
