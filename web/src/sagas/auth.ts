import { buffers } from "redux-saga";
import { actionChannel, call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { Profile } from "../contracts/resources";
import type { Result } from "../lib/result";
import type { AuthFacts, Refusal } from "../machines/auth";
import type { PortError } from "../ports/ask";
import { authActions, selectAuth, selectLoggedIn, selectUserId, selectViewer } from "../slices/auth";
import { queryActions } from "../slices/queries";
import { selectDrives, selectTab, tabActions } from "../slices/tabs";
import { attempt } from "./attempt";

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

/** AUTH-1 to AUTH-3. */
export function* authSaga(): SagaGenerator<void> {
  // A form that is sent while a logout is still under way waits for its end: missed, it would never be answered.
  const asking = yield* actionChannel<ReturnType<typeof authActions.submitted | typeof authActions.logoutPressed>>(
    [authActions.submitted.type, authActions.logoutPressed.type],
    buffers.expanding(),
  );
  // Another viewer sees other things: what the page shows is read again.
  yield* takeEvery(authActions.reset, function* () {
    yield* put(queryActions.invalidated());
  });
  // The form may wait for the end of a logout: whose it is is told at once.
  yield* takeEvery(authActions.submitted, function* () {
    const state = yield* select(selectAuth);
    if (state.at === "authenticating" && state.owner === "") yield* adopt();
  });
  yield* call(resume);
  for (;;) {
    const { asked } = yield* race({ asked: take(asking), tabs: take([...TABS]) });
    const { at } = yield* select(selectAuth);
    if (asked === undefined) yield* resume();
    else if (authActions.submitted.match(asked) && at === "authenticating") yield* authenticate(asked.payload);
    else if (authActions.logoutPressed.match(asked) && at === "loggingOut") yield* logout();
  }
}

/** What may leave this tab with what another one began. */
const TABS = [tabActions.identified.type, tabActions.holderChanged.type, tabActions.othersChanged.type] as const;

/** What a page that is gone left under way. The values of a form went with it. */
function* resume(): SagaGenerator<void> {
  const state = yield* select(selectAuth);
  if (state.at !== "authenticating" && state.at !== "loggingOut") return;
  if (!(yield* select(selectDrives(state.owner)))) return;
  if (state.at === "loggingOut") return yield* logout();
  yield* adopt();
  const account = yield* attempt("account.status", {});
  const profile = account.ok && account.value.user_id !== null ? yield* attempt("api.getProfile", {}) : null;
  if (profile?.ok) yield* put(authActions.profileLoaded({ user: profile.value }));
  else yield* put(authActions.refused(INTERRUPTED));
}

/** Tells the other tabs that this one brings it to its end. */
function* adopt(): SagaGenerator<void> {
  const { id } = yield* select(selectTab);
  yield* put(authActions.adopted({ owner: id }));
}

function* authenticate({ way, handle, provider }: AuthFacts["submitted"]): SagaGenerator<void> {
  const answer = yield* send(way, handle, provider);
  if (!answer.ok) {
    yield* put(authActions.refused(refusalOf(answer.error)));
    return;
  }
  yield* put(authActions.succeeded({ way, user: answer.value }));
  yield* put(queryActions.invalidated());
}

function* send(
  way: AuthFacts["submitted"]["way"],
  handle: string,
  provider: string | undefined,
): SagaGenerator<Result<Profile, PortError>> {
  switch (way) {
    case "login":
      return yield* attempt("api.login", { handle });
    case "register":
      return yield* attempt("api.register", { handle });
    case "social":
      return yield* attempt("api.socialLogin", { provider: provider ?? "", handle });
  }
}

function* logout(): SagaGenerator<void> {
  yield* adopt();
  // The port forgets the key whatever the worker answers: who leaves a shared computer must not stay logged in.
  const user_id = yield* select(selectViewer);
  yield* attempt("api.logout", user_id === null ? {} : { user_id });
  if ((yield* select(selectAuth)).at === "loggingOut") {
    yield* put(authActions.loggedOut());
    yield* put(queryActions.invalidated());
  }
  yield* attempt("api.getApiKey", {});
}

/** Reads the profile anew: rights change with what was bought. */
export function* refreshProfile(): SagaGenerator<void> {
  if (!(yield* select(selectLoggedIn))) return;
  const profile = yield* attempt("api.getProfile", {});
  if (profile.ok && (yield* select(selectUserId)) === profile.value.id)
    yield* put(authActions.profileLoaded({ user: profile.value }));
}
