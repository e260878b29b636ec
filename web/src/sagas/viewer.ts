import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import { isRefusal } from "../ports/error";
import { authActions, selectAuth, selectUserId } from "../slices/auth";
import { queryActions } from "../slices/queries";
import { selectStartup } from "../slices/startup";
import { selectLeads } from "../slices/tabs";
import { attempt } from "./attempt";
import { until } from "./stream";

/** Who is here. Two pages may log in in the same moment: the browser's key has the last word. */
export function* viewerSaga(): SagaGenerator<void> {
  yield* takeEvery(authActions.succeeded, compareWithKey);
  yield* takeEvery(authActions.profileWanted, function* () {
    yield* call(loadProfile);
  });
  // The leader before may have been asking: its answer reaches nobody who folds it.
  if ((yield* select(selectStartup)).at === "ready") yield* call(compareWithKey);
}

function* compareWithKey(): SagaGenerator<void> {
  const account = yield* attempt("account.status", {});
  // Its end tells.
  if ((yield* select(selectAuth)).at === "loggingOut") return;
  if (account.ok && account.value.user_id !== (yield* select(selectUserId))) yield* call(loadProfile);
}

/** START-3: an answer of the channel that refuses the profile clears the user; none, or a proxy's, does not. */
export function* loadProfile(): SagaGenerator<boolean> {
  if (!(yield* select(selectLeads))) {
    yield* put(authActions.profileWanted());
    return true;
  }
  // Whoever is leaving must not be brought back by an answer that was under way, nor come before who logged in.
  yield* call(whileLeaving);
  const { loaded } = yield* race({ loaded: call(askProfile), changed: call(viewerChanged) });
  return loaded ?? true;
}

function* whileLeaving(): SagaGenerator<void> {
  yield* until(({ auth }) => auth.at !== "loggingOut");
}

function* viewerChanged(): SagaGenerator<void> {
  yield* take([authActions.loggedOut, authActions.succeeded]);
}

function* askProfile(): SagaGenerator<boolean> {
  const account = yield* attempt("account.status", {});
  if (!account.ok) return false;
  const { user_id } = account.value;
  const known = yield* select(selectUserId);
  // A key that stands for nobody, or another: whoever the snapshot tells of is no longer logged in here.
  if (known !== null && known !== user_id) yield* put(authActions.reset({ reason: "api_key" }));
  if (user_id === null) return true;
  const profile = yield* attempt("api.getProfile", {});
  if (profile.ok) {
    yield* put(authActions.profileLoaded({ user: profile.value }));
    // What is shown was read for nobody.
    if (known === null && (yield* select(selectStartup)).at === "ready") yield* put(queryActions.invalidated());
    return true;
  }
  const refused = isRefusal(profile.error);
  if (refused) yield* put(authActions.reset({ reason: "profile" }));
  return refused;
}
