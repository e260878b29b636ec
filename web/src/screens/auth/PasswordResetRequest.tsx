import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import { Notice } from "../../components/basic/Notice";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { useAccount } from "../useAccount";
import { EmailField } from "./AccountFields";
import { AuthPage } from "./AuthPage";
import { FormFrame } from "./FormFrame";
import { RobotNotice } from "./RobotNotice";
import { resetRequest } from "./schemas";
import { useAccountForm } from "./useAccountForm";
import { useRobotCheck } from "./useRobotCheck";

/** Requests a password reset link. The response doesn't reveal whether the account exists (AUTH-7). */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const { at, refusal, submit } = useAccountForm("passwordResetRequest");
  const form = useForm({ resolver: zodResolver(resetRequest), shouldFocusError: false, defaultValues: { email: "" } });
  const { errors } = form.formState;
  const send = useRobotCheck("password_reset");
  return (
    <AuthPage title={t("reset.title")} text={t("reset.text")}>
      {at === "done" ? (
        <Notice tone="success" alert>
          {t("reset.sent")}
        </Notice>
      ) : (
        <>
          <FormFrame
            form={form}
            refusal={refusal}
            submit={t("reset.send")}
            busy={at === "sending"}
            onSubmit={(values) => send(values, (whole) => submit(account.hold(whole)))}
          >
            <EmailField email={form.register("email")} errors={errors} />
          </FormFrame>
          <RobotNotice />
        </>
      )}
      <Link className="link auth-page__line" to={linkTo("login")}>
        {t("auth.login")}
      </Link>
    </AuthPage>
  );
}
