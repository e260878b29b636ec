import { useEffect, useRef } from "react";
import { ButtonLink } from "../../components/Button";
import { Loader } from "../../components/Loader";
import { Notice } from "../../components/Notice";
import { first } from "../../i18n/en";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { useAccount } from "../useAccount";
import { AuthPage } from "./AuthPage";
import { useAccountForm } from "./useAccountForm";
import { useSignedLink } from "./useSignedLink";

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
          {refusal?.message === first.server.alreadyVerified ? t("verify.already") : t("verify.failed")}
        </Notice>
      )}
      {!working && (
        <ButtonLink look="primary" size="big" block to={linkTo("home")}>
          {t("notFound.home")}
        </ButtonLink>
      )}
    </AuthPage>
  );
}
