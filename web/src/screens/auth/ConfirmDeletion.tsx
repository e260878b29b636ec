import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { useAccount } from "../useAccount";
import { AuthPage } from "./AuthPage";
import { useAccountForm } from "./useAccountForm";
import { useSignedLink } from "./useSignedLink";

/** Deletes the account after confirmation; opened by a mailed link (AUTH-4). */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const link = useSignedLink();
  const { at, refusal, submit } = useAccountForm("confirmDeletion");
  return (
    <AuthPage title={t("deletion.title")} {...(at === "done" ? {} : { text: t("deletion.text") })}>
      {at === "done" ? (
        <Notice tone="success" alert>
          {t("deletion.done")}
        </Notice>
      ) : (
        <>
          {(link === null || refusal) && (
            <FormAlert refusal={refusal}>{refusal ? sentence(t, refusal.message) : t("reset.badLink")}</FormAlert>
          )}
          {link !== null && (
            <Button look="danger" size="big" block busy={at === "sending"} onClick={() => submit(account.hold(link))}>
              {t("deletion.confirm")}
            </Button>
          )}
        </>
      )}
      <ButtonLink block to={linkTo("home")}>
        {at === "done" ? t("notFound.home") : t("deletion.keep")}
      </ButtonLink>
    </AuthPage>
  );
}
