import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import { isRefusal } from "../ports/error";
import { authActions, selectAuth, selectUserId } from "../slices/auth";
import type { RootState } from "../slices/index";
import { queryActions } from "../slices/queries";
import { selectStartup } from "../slices/startup";
import { factsHeard } from "../slices/tabs";
import { attempt } from "./attempt";

/** Who is here. What other tabs tell of it may come late, and in any order: the browser's key has the last word. */
export function* viewerSaga(): SagaGenerator<void> {
  yield* takeEvery(factsHeard, function* ({ payload: { facts } }) {
    if (facts.some(tellsOfViewer)) yield* call(compareWithKey);
  });
}

const tellsOfViewer = (fact: { readonly type: string }): boolean =>
  authActions.reset.match(fact) || authActions.loggedOut.match(fact) || authActions.profileLoaded.match(fact);

function* compareWithKey(): SagaGenerator<void> {
  const account = yield* attempt("account.status", {});
  const { at } = yield* select(selectAuth);
  // Its end tells.
  if (at === "authenticating" || at === "loggingOut") return;
  if (account.ok && account.value.user_id !== (yield* select(selectUserId))) yield* call(loadProfile);
}

/** START-3: an answer of the channel that refuses the profile clears the user; none, or a proxy's, does not. */
export function* loadProfile(): SagaGenerator<boolean> {
  // Whoever is leaving must not be brought back by an answer that was under way, nor come before who logged in.
  yield* call(whileLeaving);
  const { loaded } = yield* race({ loaded: call(askProfile), changed: call(viewerChanged) });
  return loaded ?? true;
}

/** A logout ends here, or in the tab that it was pressed in. */
function* whileLeaving(): SagaGenerator<void> {
  while (yield* select(({ auth }: RootState) => auth.at === "loggingOut"))
    yield* take([authActions.loggedOut.type, authActions.reset.type, factsHeard.type]);
}

const changesViewer = (fact: { readonly type: string }): boolean =>
  authActions.loggedOut.match(fact) || authActions.succeeded.match(fact);

function* viewerChanged(): SagaGenerator<void> {
  yield* take((told: { readonly type: string }) =>
    factsHeard.match(told) ? told.payload.facts.some(changesViewer) : changesViewer(told),
  );
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
