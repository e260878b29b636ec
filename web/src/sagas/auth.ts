import { call, put, type SagaGenerator, select, takeEvery, takeLeading } from "typed-redux-saga";
import type { Refusal } from "../machines/auth";
import type { PortError } from "../ports/ask";
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

/** AUTH-2: who is here, and how they leave. */
export function* authSaga(): SagaGenerator<void> {
  // Another viewer sees other things: what the pages show is read again.
  yield* takeEvery([authActions.reset, authActions.succeeded], function* () {
    yield* put(queryActions.invalidated());
  });
  yield* takeLeading(authActions.logoutPressed, logout);
  // What the leader before this one left under way.
  yield* call(logout);
}

function* logout(): SagaGenerator<void> {
  if ((yield* select(selectAuth)).at !== "loggingOut") return;
  // The port forgets the key whatever the worker answers: who leaves a shared computer must not stay logged in.
  const user_id = yield* select(selectViewer);
  yield* attemptStored("api.logout", user_id === null ? {} : { user_id });
  if ((yield* select(selectAuth)).at === "loggingOut") {
    yield* put(authActions.loggedOut());
    yield* put(queryActions.invalidated());
  }
  yield* attempt("api.getApiKey", {});
}

/** Reads the profile anew: rights change with what was bought. A follower asks the leader to. */
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
