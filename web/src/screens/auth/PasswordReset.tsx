import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { useAccount } from "../useAccount";
import { NewPasswordFields } from "./AccountFields";
import { AuthPage } from "./AuthPage";
import { FormFrame } from "./FormFrame";
import { reset } from "./schemas";
import { useAccountForm } from "./useAccountForm";
import { useSignedLink } from "./useSignedLink";

/** Errors of the link itself: another password doesn't fix them. */
const DEAD_LINK: ReadonlySet<string> = new Set(["reset_expired", "reset_failed"]);

/** Sets a new password; opened by a mailed link (AUTH-4). */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const link = useSignedLink();
  const { at, refusal, submit } = useAccountForm("passwordReset");
  const form = useForm({
    resolver: zodResolver(reset),
    shouldFocusError: false,
    defaultValues: { password: "", password_confirmation: "" },
  });
  const { errors } = form.formState;
  const isDead = refusal !== null && DEAD_LINK.has(refusal.code);
  return (
    <AuthPage title={t("reset.choose")}>
      {at === "done" ? (
        <>
          <Notice tone="success" alert>
            {t("reset.done")}
          </Notice>
          <ButtonLink look="primary" size="big" block to={linkTo("login")}>
            {t("auth.login")}
          </ButtonLink>
        </>
      ) : link === null || isDead ? (
        <>
          <FormAlert refusal={refusal}>
            {refusal === null ? t("reset.badLink") : sentence(t, refusal.message)}
          </FormAlert>
          <ButtonLink block to={linkTo("passwordResetRequest")}>
            {t("reset.newLink")}
          </ButtonLink>
        </>
      ) : (
        <FormFrame
          form={form}
          refusal={refusal}
          submit={t("reset.save")}
          busy={at === "sending"}
          onSubmit={(values) => submit(account.hold({ ...link, ...values }))}
        >
          <input type="hidden" autoComplete="username" value={link.email} readOnly />
          <NewPasswordFields
            label={t("auth.newPassword")}
            password={form.register("password")}
            again={form.register("password_confirmation")}
            errors={errors}
          />
        </FormFrame>
      )}
    </AuthPage>
  );
}
