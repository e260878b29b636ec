import { call, put, type SagaGenerator, select, take } from "typed-redux-saga";
import type { Profile } from "../contracts/resources";
import type { Result } from "../lib/result";
import type { LoginFacts, LoginWay } from "../machines/login";
import type { PortError } from "../ports/world";
import { authActions } from "../slices/auth";
import { loginActions, selectLogin } from "../slices/login";
import { attempt } from "./attempt";
import { INTERRUPTED, refusalOf } from "./auth";
import { until, untilAnswered } from "./stream";

/** AUTH-1 to AUTH-3: a process of the page whose form was submitted. */
export function* loginSaga(): SagaGenerator<void> {
  const interrupted = yield* select(selectLogin);
  if (interrupted.at === "sending") yield* resume(interrupted.way);
  for (;;) {
    const { payload } = yield* take(loginActions.submitted);
    // A form submitted during a logout waits for its end.
    yield* until(({ auth }) => auth.at !== "loggingOut");
    const answer = yield* send(payload);
    if (answer.ok) yield* succeed(payload.way, answer.value);
    else yield* put(loginActions.refused(refusalOf(answer.error)));
  }
}

/** The previous page submitted it. The form's values are gone with it. */
function* resume(way: LoginWay): SagaGenerator<void> {
  const account = yield* attempt("account.status", {});
  const profile = account.ok && account.value.user_id !== null ? yield* attempt("api.getProfile", {}) : null;
  if (profile?.ok) yield* succeed(way, profile.value);
  else yield* put(loginActions.refused(INTERRUPTED));
}

function* succeed(way: LoginWay, user: Profile): SagaGenerator<void> {
  yield* put(authActions.succeeded({ way, user }));
  yield* call(untilAnswered);
  yield* put(loginActions.ended());
}

function* send({ way, handle, provider }: LoginFacts["submitted"]): SagaGenerator<Result<Profile, PortError>> {
  switch (way) {
    case "login":
      return yield* attempt("api.login", { handle });
    case "register":
      return yield* attempt("api.register", { handle });
    case "device":
      return yield* attempt("api.deviceLogin", { handle });
    case "social":
      return yield* attempt("api.socialLogin", { provider: provider ?? "", handle });
  }
}
