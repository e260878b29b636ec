import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { Link, useLocation } from "react-router";
import { PasswordField } from "../../components/form/Field";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectSettings } from "../../slices/catalogue";
import { loginActions, selectAuthBusy } from "../../slices/login";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { EmailField } from "./AccountFields";
import { AuthPage } from "./AuthPage";
import { FormFrame } from "./FormFrame";
import { RobotNotice } from "./RobotNotice";
import { SocialLogins } from "./SocialLogins";
import { login } from "./schemas";
import { useAuthRefusal } from "./useAuthRefusal";
import { useErrorText } from "./useErrorText";
import { useRobotCheck } from "./useRobotCheck";

/** Login with email and password (AUTH-1). */
export function Component() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const account = useAccount();
  const { state } = useLocation();
  const busy = useAppSelector(selectAuthBusy);
  const remoteAuth = (useAppSelector(selectSettings)?.auth.remote_auth ?? 0) !== 0;
  const form = useForm({
    resolver: zodResolver(login),
    shouldFocusError: false,
    defaultValues: { email: "", password: "" },
  });
  const refusal = useAuthRefusal();
  const errorText = useErrorText();
  const { errors } = form.formState;
  const send = useRobotCheck("login");
  return (
    <AuthPage title={t("auth.login")} slogan={t("auth.slogan")}>
      <SocialLogins />
      <FormFrame
        form={form}
        refusal={refusal}
        submit={t("auth.login")}
        busy={busy}
        onSubmit={(values) =>
          send(values, (whole) => dispatch(loginActions.submitted({ way: "login", handle: account.hold(whole) })))
        }
      >
        <EmailField email={form.register("email")} errors={errors} />
        <PasswordField
          {...form.register("password")}
          label={t("auth.password")}
          autoComplete="current-password"
          error={errorText(errors.password)}
        />
        <Link className="link type-meta auth-page__line" to={linkTo("passwordResetRequest")}>
          {t("auth.forgot")}
        </Link>
      </FormFrame>
      <RobotNotice />
      <p className="muted auth-page__other">
        {t("auth.newHere")}{" "}
        <Link className="link" to={linkTo("registration")} state={state}>
          {t("auth.register")}
        </Link>
      </p>
      {remoteAuth && (
        <p className="muted auth-page__other">
          <Link className="link" to={linkTo("device")} state={state}>
            {t("device.withCode")}
          </Link>
        </p>
      )}
    </AuthPage>
  );
}
