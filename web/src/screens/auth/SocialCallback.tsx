import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Checkbox } from "../../components/form/Field";
import { FormAlert } from "../../components/form/FormAlert";
import { Loader } from "../../components/shell/Loader";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { loginActions, selectAuthBusy, selectAuthRefusal } from "../../slices/login";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { AuthPage } from "./AuthPage";
import { FormFrame } from "./FormFrame";
import { socialRegistration } from "./schemas";
import { TermsPhrase } from "./TermsPhrase";
import { useErrorText } from "./useErrorText";
import { useLinkParams } from "./useLinkParams";

/** Completes a social login with the parameters of the provider's callback (ROUTE-11). */
export function Component() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const account = useAccount();
  const { provider = "" } = useParams();
  const params = useLinkParams();
  const [answer] = useState(() => ({ code: params.code ?? "", state: params.state ?? "" }));
  /** The viewer declined at the provider. */
  const isCancelled = params.error === "access_denied";
  const complete = answer.code !== "" && answer.state !== "";
  const refusal = useAppSelector(selectAuthRefusal);
  const busy = useAppSelector(selectAuthBusy);
  const form = useForm({
    resolver: zodResolver(socialRegistration),
    shouldFocusError: false,
    defaultValues: { terms: false },
  });
  const errorText = useErrorText();
  const sent = useRef(false);
  const unknown = !isCancelled && refusal?.code === "not_registered";
  const send = (accepted: boolean) =>
    dispatch(loginActions.submitted({ way: "social", provider, handle: account.hold({ ...answer, terms: accepted }) }));
  useEffect(() => {
    // The code works once.
    if (!complete || sent.current) return;
    sent.current = true;
    dispatch(loginActions.submitted({ way: "social", provider, handle: account.hold({ ...answer, terms: false }) }));
  }, [complete, answer, provider, account, dispatch]);
  const isLoggingIn = complete && (busy || refusal === null);
  return (
    <AuthPage title={t(isLoggingIn ? "auth.social" : "auth.login")}>
      {isLoggingIn ? (
        <Loader label={t("auth.checking")} />
      ) : (
        <FormAlert refusal={refusal}>
          {isCancelled ? t("auth.socialCancelled") : refusal ? sentence(t, refusal.message) : t("auth.socialFailed")}
        </FormAlert>
      )}
      {unknown && !busy && (
        <FormFrame form={form} refusal={null} submit={t("auth.register")} busy={busy} onSubmit={() => send(true)}>
          <Checkbox {...form.register("terms")} error={errorText(form.formState.errors.terms)}>
            <TermsPhrase />
          </Checkbox>
        </FormFrame>
      )}
      {!busy && (!complete || refusal !== null) && (
        <ButtonLink block to={linkTo("login")}>
          {t("auth.login")}
        </ButtonLink>
      )}
    </AuthPage>
  );
}
