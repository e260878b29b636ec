import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { useAccount } from "../useAccount";
import { NewPasswordFields } from "./AccountFields";
import { AuthPage } from "./AuthPage";
import { FormFrame } from "./FormFrame";
import { reset } from "./schemas";
import { useAccountForm } from "./useAccountForm";
import { useRefusal } from "./useRefusal";
import { useSignedLink } from "./useSignedLink";

/** Errors of the link itself: another password doesn't fix them. */
const DEAD_LINK: ReadonlySet<string> = new Set(["reset_expired", "reset_failed"]);

/** Sets a new password; opened by a mailed link (AUTH-4). */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const link = useSignedLink();
  const { at, refusal: refused, submit } = useAccountForm("passwordReset");
  const form = useForm({ resolver: zodResolver(reset), defaultValues: { password: "", password_confirmation: "" } });
  const refusal = useRefusal(form, refused);
  const { errors } = form.formState;
  const isDead = refused !== null && DEAD_LINK.has(refused.code);
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
          <Notice tone="danger" alert>
            {refusal ?? t("reset.badLink")}
          </Notice>
          <ButtonLink block to={linkTo("passwordResetRequest")}>
            {t("reset.newLink")}
          </ButtonLink>
        </>
      ) : (
        <FormFrame
          errors={errors}
          refusal={refusal}
          onSubmit={form.handleSubmit((values) => submit(account.hold({ ...link, ...values })))}
        >
          <input type="hidden" autoComplete="username" value={link.email} readOnly />
          <NewPasswordFields
            label={t("auth.newPassword")}
            password={form.register("password")}
            again={form.register("password_confirmation")}
            errors={errors}
          />
          <Button type="submit" look="primary" size="big" block busy={at === "sending"}>
            {t("reset.save")}
          </Button>
        </FormFrame>
      )}
    </AuthPage>
  );
}
