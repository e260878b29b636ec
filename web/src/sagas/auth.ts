import { call, put, type SagaGenerator, select, takeEvery, takeLeading } from "typed-redux-saga";
import type { Refusal } from "../machines/auth";
import type { PortError } from "../ports/world";
import { authActions, selectAuth, selectLoggedIn, selectUserId, selectViewer } from "../slices/auth";
import { queryActions } from "../slices/queries";
import { selectLeads } from "../slices/tabs";
import { attempt, attemptStored } from "./attempt";

export const INTERRUPTED: Refusal = {
  code: "interrupted",
  message: "Something went wrong. Please try again or contact technical support.",
  errors: {},
};

export const refusalOf = ({ code, message, errors }: PortError): Refusal => ({
  code,
  message,
  errors: Object.fromEntries(Object.entries(errors).map(([field, texts]) => [field, [...texts]])),
});

/** AUTH-2: the current user, and logging out. */
export function* authSaga(): SagaGenerator<void> {
  // Another viewer has other data: the pages' data is reread.
  yield* takeEvery([authActions.reset, authActions.succeeded], function* () {
    yield* put(queryActions.invalidated());
  });
  yield* takeLeading(authActions.logoutPressed, logout);
  // A logout that the previous leader started.
  yield* call(logout);
}

function* logout(): SagaGenerator<void> {
  if ((yield* select(selectAuth)).at !== "loggingOut") return;
  // The port forgets the key whatever the worker answers: leaving a shared computer must sign the person out.
  const user_id = yield* select(selectViewer);
  yield* attemptStored("api.logout", user_id === null ? {} : { user_id });
  if ((yield* select(selectAuth)).at === "loggingOut") {
    yield* put(authActions.loggedOut());
    yield* put(queryActions.invalidated());
  }
  yield* attempt("api.getApiKey", {});
}

/** Rereads the profile: capabilities change with purchases. A follower asks the leader to. */
export function* refreshProfile(): SagaGenerator<void> {
  if (!(yield* select(selectLeads))) {
    yield* put(authActions.profileWanted());
    return;
  }
  if (!(yield* select(selectLoggedIn))) return;
  const profile = yield* attempt("api.getProfile", {});
  if (profile.ok && (yield* select(selectUserId)) === profile.value.id)
    yield* put(authActions.profileLoaded({ user: profile.value }));
}
