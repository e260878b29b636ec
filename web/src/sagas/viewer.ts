import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import { isRefusal } from "../ports/error";
import { authActions, selectAuth, selectUserId } from "../slices/auth";
import { queryActions } from "../slices/queries";
import { selectStartup } from "../slices/startup";
import { selectLeads } from "../slices/tabs";
import { attempt } from "./attempt";
import { until } from "./stream";

/** Determines the current user. Two pages may log in at the same time: the browser's key decides. */
export function* viewerSaga(): SagaGenerator<void> {
  yield* takeEvery(authActions.succeeded, compareWithKey);
  yield* takeEvery(authActions.profileWanted, function* () {
    yield* call(loadProfile);
  });
  // The previous leader may have started this check, and its answer is lost.
  if ((yield* select(selectStartup)).at === "ready") yield* call(compareWithKey);
}

function* compareWithKey(): SagaGenerator<void> {
  const account = yield* attempt("account.status", {});
  // Handled at the end of the logout.
  if ((yield* select(selectAuth)).at === "loggingOut") return;
  if (account.ok && account.value.user_id !== (yield* select(selectUserId))) yield* call(loadProfile);
}

/** START-3: only the channel's own refusal of the profile clears the user; a missing answer or a proxy's doesn't. */
export function* loadProfile(): SagaGenerator<boolean> {
  if (!(yield* select(selectLeads))) {
    yield* put(authActions.profileWanted());
    return true;
  }
  // A late answer must not restore a viewer who is logging out, or overtake one who logs in.
  yield* call(untilLoggedOut);
  const { loaded } = yield* race({ loaded: call(fetchProfile), changed: call(viewerChanged) });
  return loaded ?? true;
}

function* untilLoggedOut(): SagaGenerator<void> {
  yield* until(({ auth }) => auth.at !== "loggingOut");
}

function* viewerChanged(): SagaGenerator<void> {
  yield* take([authActions.loggedOut, authActions.succeeded]);
}

function* fetchProfile(): SagaGenerator<boolean> {
  const account = yield* attempt("account.status", {});
  if (!account.ok) return false;
  const { user_id } = account.value;
  const previous = yield* select(selectUserId);
  // The key belongs to nobody, or to another user: the snapshot's user is no longer logged in here.
  if (previous !== null && previous !== user_id) yield* put(authActions.reset({ reason: "api_key" }));
  if (user_id === null) return true;
  const profile = yield* attempt("api.getProfile", {});
  if (profile.ok) {
    yield* put(authActions.profileLoaded({ user: profile.value }));
    // The page's data was read anonymously.
    if (previous === null && (yield* select(selectStartup)).at === "ready") yield* put(queryActions.invalidated());
    return true;
  }
  const refused = isRefusal(profile.error);
  if (refused) yield* put(authActions.reset({ reason: "profile" }));
  return refused;
}
