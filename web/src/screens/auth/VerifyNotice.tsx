import { useLocation } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectUserFlags } from "../../slices/user";
import { requestedPath } from "../shell/Guard";
import { useAppSelector } from "../state";
import { useAccount, usePerson } from "../useAccount";
import { useOffered } from "../useOffered";
import { AuthPage } from "./AuthPage";
import { useAccountForm } from "./useAccountForm";

/** Shows which address a link was sent to, and resends it (AUTH-4, CLIP-5). */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const email = usePerson()?.email;
  const flags = useAppSelector(selectUserFlags);
  const isMailedAgain = useOffered("auth/email-verify-request");
  const verified = flags?.email_verified === true;
  const { at, refusal, submit } = useAccountForm("requestVerification");
  const from = requestedPath(useLocation().state);
  const goesOn = from !== null && from !== linkTo("home");
  const toHome = (
    <ButtonLink
      look={verified || !flags || goesOn ? "primary" : "second"}
      size="big"
      block
      to={goesOn ? from : linkTo("home")}
    >
      {t(goesOn ? "verify.goOn" : "notFound.home")}
    </ButtonLink>
  );
  // A visitor registered on another device, or uses an old link.
  if (!flags)
    return (
      <AuthPage title={t("verify.noticeTitle")} text={t("verify.notice")}>
        {toHome}
      </AuthPage>
    );
  if (verified)
    return (
      <AuthPage title={t("verify.confirmed")}>
        {email !== undefined && <Notice tone="success">{t("verify.isYours", { email })}</Notice>}
        {toHome}
      </AuthPage>
    );
  return (
    <AuthPage
      title={t("verify.noticeTitle")}
      text={email === undefined ? t("verify.notice") : t("verify.noticeTo", { email })}
    >
      {at === "done" && (
        <Notice tone="success" alert>
          {t("verify.sentAgain", { email })}
        </Notice>
      )}
      <p className="muted">{t("verify.help")}</p>
      {refusal && <FormAlert refusal={refusal}>{sentence(t, refusal.message)}</FormAlert>}
      {isMailedAgain && (
        <Button
          look={goesOn ? "second" : "primary"}
          size="big"
          block
          busy={at === "sending"}
          onClick={() => submit(account.hold({}))}
        >
          {t("verify.sendAgain")}
        </Button>
      )}
      {toHome}
    </AuthPage>
  );
}
