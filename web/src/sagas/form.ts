import { put, type SagaGenerator, select, takeEvery } from "typed-redux-saga";
import type { Profile } from "../contracts/resources";
import { exhaustive } from "../lib/exhaustive";
import type { Result } from "../lib/result";
import type { FormName } from "../machines/form";
import type { PortError } from "../ports/world";
import { authActions } from "../slices/auth";
import { formActions } from "../slices/form";
import type { RootState } from "../slices/index";
import { queryActions } from "../slices/queries";
import { attempt } from "./attempt";
import { INTERRUPTED, refreshProfile, refusalOf } from "./auth";

/** AUTH-4, AUTH-5, FORM-1: the account's other forms, and those of the channel. */
export function* formSaga(): SagaGenerator<void> {
  for (const [key, { at }] of Object.entries(yield* select(({ form }: RootState) => form)))
    if (at === "sending") yield* put(formActions.refused({ key: key as FormName, refusal: INTERRUPTED }));
    else if (at === "storing") yield* put(formActions.succeeded({ key: key as FormName }));
    // The previous page has displayed the result: the form starts over, also under another link.
    else if (at !== "idle") yield* put(formActions.left({ key: key as FormName }));

  // Forms in flight, for ignoring a second press of the button.
  const sending = new Set<FormName>();
  yield* takeEvery(formActions.submitted, function* ({ payload: { key, handle } }) {
    if (sending.has(key)) return;
    sending.add(key);
    try {
      const answer = yield* send(key, handle);
      if (!answer.ok) {
        yield* put(formActions.refused({ key, refusal: refusalOf(answer.error) }));
        return;
      }
      yield* put(formActions.answered({ key }));
      yield* after(key, answer.value);
      // The worker has the form even if it can't be stored here.
      yield* attempt("storage.flush", {});
      yield* put(formActions.succeeded({ key }));
    } finally {
      sending.delete(key);
    }
  });
}

type Answer = Profile | { readonly other: true } | null;

function* send(key: FormName, handle: string): SagaGenerator<Result<Answer, PortError>> {
  switch (key) {
    case "profile":
      return yield* attempt("api.updateProfile", { handle });
    case "verifyEmail":
      return yield* attempt("api.verifyEmail", { handle });
    case "requestVerification":
      return yield* attempt("api.requestVerification", { handle });
    case "passwordResetRequest":
      return yield* attempt("api.requestPasswordReset", { handle });
    case "passwordReset":
      return yield* attempt("api.resetPassword", { handle });
    case "requestDeletion":
      return yield* attempt("api.requestAccountDeletion", { handle });
    case "confirmDeletion":
      return yield* attempt("api.confirmAccountDeletion", { handle });
    case "addSession":
      return yield* attempt("api.addSession", { handle });
    case "customForm":
      return yield* attempt("api.submitCustomForm", { handle });
    default:
      return exhaustive(key);
  }
}

function* after(key: FormName, answer: Answer): SagaGenerator<void> {
  if (answer !== null && "other" in answer) {
    // If the account was theirs after all, under an address unknown here, their key is refused now.
    yield* refreshProfile();
    return;
  }
  if (answer !== null) yield* put(authActions.profileChanged({ user: answer }));
  // The link may belong to an account other than the one logged in here.
  if (key === "verifyEmail") yield* refreshProfile();
  if (key === "confirmDeletion") yield* put(authActions.reset({ reason: "deleted" }));
  if (key === "addSession") yield* put(queryActions.invalidated());
}
