import { zodResolver } from "@hookform/resolvers/zod";
import { Suspense } from "react";
import { useForm } from "react-hook-form";
import { Link, useLocation } from "react-router";
import { Checkbox } from "../../components/form/Field";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { loginActions, selectAuthBusy } from "../../slices/login";
import { StaticBlock } from "../StaticBlock";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { EmailField, NameFields, NewPasswordFields } from "./AccountFields";
import { AuthPage } from "./AuthPage";
import { FormFrame } from "./FormFrame";
import { RobotNotice } from "./RobotNotice";
import { SocialLogins } from "./SocialLogins";
import { registration } from "./schemas";
import { TermsPhrase } from "./TermsPhrase";
import { useAuthRefusal } from "./useAuthRefusal";
import { useErrorText } from "./useErrorText";
import { useRobotCheck } from "./useRobotCheck";

/** Registration with email and password (AUTH-6). */
export function Component() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const account = useAccount();
  const { state } = useLocation();
  const busy = useAppSelector(selectAuthBusy);
  const form = useForm({
    resolver: zodResolver(registration),
    shouldFocusError: false,
    defaultValues: { first_name: "", last_name: "", email: "", password: "", password_confirmation: "", terms: false },
  });
  const refusal = useAuthRefusal();
  const errorText = useErrorText();
  const { errors } = form.formState;
  const send = useRobotCheck("register");
  return (
    <AuthPage title={t("auth.register")} text={t("auth.registerText")} slogan={t("auth.registerSlogan")} floor="soccer">
      <SocialLogins />
      <FormFrame
        form={form}
        refusal={refusal}
        submit={t("auth.register")}
        busy={busy}
        onSubmit={(values) =>
          send(values, (whole) => dispatch(loginActions.submitted({ way: "register", handle: account.hold(whole) })))
        }
      >
        <NameFields first={form.register("first_name")} last={form.register("last_name")} errors={errors} />
        <EmailField email={form.register("email")} errors={errors} />
        <NewPasswordFields
          label={t("auth.password")}
          password={form.register("password")}
          again={form.register("password_confirmation")}
          errors={errors}
        />
        <Checkbox {...form.register("terms")} error={errorText(errors.terms)}>
          <TermsPhrase />
        </Checkbox>
      </FormFrame>
      <RobotNotice />
      <p className="muted auth-page__other">
        {t("auth.already")}{" "}
        <Link className="link" to={linkTo("login")} state={state}>
          {t("auth.login")}
        </Link>
      </p>
      {/* It loads late: above the form it would shift the fields. */}
      <Suspense>
        <StaticBlock name="registration" />
      </Suspense>
    </AuthPage>
  );
}
