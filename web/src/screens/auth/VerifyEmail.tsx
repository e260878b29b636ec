import { useEffect, useRef } from "react";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { Loader } from "../../components/shell/Loader";
import { first } from "../../i18n/en";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { useAccount } from "../useAccount";
import { AuthPage } from "./AuthPage";
import { useAccountForm } from "./useAccountForm";
import { useSignedLink } from "./useSignedLink";

/** Why a call failed without a word about the link, which may still be good. */
const PASSING =
  /^(network|timeout|unexpected_answer|interrupted|form_gone|wrong_user|no_api_key|api_key|channel_key|too_many|internal|unavailable|http_(408|429|5\d\d))$/;

/** Confirms the viewer's address, opened by a mailed link (AUTH-4). */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const link = useSignedLink();
  const { at, refusal, submit } = useAccountForm("verifyEmail");
  const sent = useRef(false);
  useEffect(() => {
    // A link works once: an effect that runs twice must not spend it twice.
    if (link === null || sent.current) return;
    sent.current = true;
    submit(account.hold(link));
  }, [link, account, submit]);
  const again = link !== null && refusal !== null && PASSING.test(refusal.code);
  const working = link !== null && (at === "idle" || at === "sending");
  return (
    <AuthPage title={t("verify.working")}>
      {working ? (
        <Loader label={t("auth.checking")} />
      ) : at === "done" ? (
        <Notice tone="success" alert>
          {t("verify.done")}
        </Notice>
      ) : (
        <Notice tone="danger" alert>
          {again
            ? sentence(t, refusal.message)
            : refusal?.message === first.server.alreadyVerified
              ? t("verify.already")
              : t("verify.failed")}
        </Notice>
      )}
      {again && (
        <Button icon="refresh" block onClick={() => submit(account.hold(link))}>
          {t("common.retry")}
        </Button>
      )}
      {!working && (
        <ButtonLink look="primary" size="big" block to={linkTo("home")}>
          {t("notFound.home")}
        </ButtonLink>
      )}
    </AuthPage>
  );
}
