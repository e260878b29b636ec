import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import { first } from "../../i18n/en";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { useAccount } from "../useAccount";
import { AuthPage } from "./AuthPage";
import { useAccountForm } from "./useAccountForm";
import { useSignedLink } from "./useSignedLink";

/** Temporary failures, after which the link may still be valid. */
const PASSING =
  /^(network|timeout|unexpected_answer|interrupted|form_gone|wrong_user|no_api_key|api_key|channel_key|too_many|internal|unavailable|http_(408|429|5\d\d))$/;

/** Confirms the viewer's email with a button, since mail scanners open links too; opened by a mailed link (AUTH-4). */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const link = useSignedLink();
  const { at, refusal, submit } = useAccountForm("verifyEmail");
  const again = refusal !== null && PASSING.test(refusal.code);
  const isOver = link === null || at === "done" || (refusal !== null && !again);
  return (
    <AuthPage title={t("verify.title")} {...(isOver ? {} : { text: t("verify.text", { email: link.email }) })}>
      {at === "done" ? (
        <Notice tone="success" alert>
          {t("verify.done")}
        </Notice>
      ) : (
        (link === null || refusal !== null) && (
          <FormAlert refusal={refusal}>
            {refusal !== null && again
              ? sentence(t, refusal.message)
              : refusal?.message === first.server.alreadyVerified
                ? t("verify.already")
                : t("verify.failed")}
          </FormAlert>
        )
      )}
      {isOver ? (
        <ButtonLink look="primary" size="big" block to={linkTo("home")}>
          {t("notFound.home")}
        </ButtonLink>
      ) : (
        <Button look="primary" size="big" block busy={at === "sending"} onClick={() => submit(account.hold(link))}>
          {again ? t("common.retry") : t("verify.confirm")}
        </Button>
      )}
    </AuthPage>
  );
}
