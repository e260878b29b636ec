import { buffers } from "redux-saga";
import { actionChannel, call, put, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { Profile } from "../contracts/resources";
import type { Result } from "../lib/result";
import type { AuthFacts, Refusal } from "../machines/auth";
import type { PortError } from "../ports/ask";
import { authActions, selectAuth, selectLoggedIn } from "../slices/auth";
import { queryActions } from "../slices/queries";
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
  yield* call(resume);
  // Another viewer sees other things: what the page shows is read again.
  yield* takeEvery(authActions.reset, function* () {
    yield* put(queryActions.invalidated());
  });
  for (;;) {
    const asked = yield* take(asking);
    const { at } = yield* select(selectAuth);
    if (authActions.submitted.match(asked) && at === "authenticating") yield* authenticate(asked.payload);
    else if (authActions.logoutPressed.match(asked) && at === "loggingOut") yield* logout();
  }
}

/** What a page that is gone left under way. The values of a form went with it. */
function* resume(): SagaGenerator<void> {
  const { at } = yield* select(selectAuth);
  if (at === "loggingOut") yield* logout();
  if (at !== "authenticating") return;
  const account = yield* attempt("account.status", {});
  const profile = account.ok && account.value.user_id !== null ? yield* attempt("api.getProfile", {}) : null;
  if (profile?.ok) yield* put(authActions.profileLoaded({ user: profile.value }));
  else yield* put(authActions.refused(INTERRUPTED));
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
  // The port forgets the key whatever the worker answers: who leaves a shared computer must not stay logged in.
  yield* attempt("api.logout", {});
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
  if (profile.ok && (yield* select(selectLoggedIn))) yield* put(authActions.profileLoaded({ user: profile.value }));
}
