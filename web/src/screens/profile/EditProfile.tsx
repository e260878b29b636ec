import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { Field, PasswordField } from "../../components/form/Field";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectMustChangePassword } from "../../slices/auth";
import { selectSettings } from "../../slices/catalogue";
import { NameFields, NewPasswordFields } from "../auth/AccountFields";
import { FormFrame } from "../auth/FormFrame";
import { profile } from "../auth/schemas";
import { useAccountForm } from "../auth/useAccountForm";
import { useErrorText } from "../auth/useErrorText";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useAccount, usePerson } from "../useAccount";
import { useOffered } from "../useOffered";
import { useRead } from "../useRead";
import { DeleteAccount } from "./DeleteAccount";
import { LinkedLogins } from "./LinkedLogins";
import "./Profile.css";

const NO_PASSWORDS = { current_password: "", password: "", password_confirmation: "" };

/** Connected accounts, for channels without a page for devices. */
function Logins() {
  useRead({ method: "api.listSessions", args: {} });
  return <LinkedLogins />;
}

/**
 * Name, phone, email and password. With a temporary password, this is the only page and its only form (NAV-1, AUTH-10).
 */
export function Component() {
  const { t } = useTexts();
  const account = useAccount();
  const person = usePerson();
  const temporary = useAppSelector(selectMustChangePassword);
  const { at, refusal, submit } = useAccountForm("profile");
  const names = {
    first_name: person?.first_name ?? "",
    last_name: person?.last_name ?? "",
    phone: person?.phone ?? "",
    email: person?.email ?? "",
  };
  /** The new address that a link was sent to. */
  const [confirms, setConfirms] = useState<string | null>(null);
  const remoteAuth = (useAppSelector(selectSettings)?.auth.remote_auth ?? 0) !== 0;
  const hasLogins = useOffered("auth/linked_logins");
  const canDelete = useOffered("delete-account");
  const form = useForm({
    resolver: zodResolver(profile),
    shouldFocusError: false,
    defaultValues: { ...names, ...NO_PASSWORDS },
    values: { ...names, ...NO_PASSWORDS },
    resetOptions: { keepDirtyValues: true },
  });
  const errorText = useErrorText();
  const { errors } = form.formState;
  const { resetField } = form;
  useDocumentTitle(t("profile.edit"));
  useEffect(() => {
    if (at !== "done") return;
    for (const field of ["email", "current_password", "password", "password_confirmation"] as const) resetField(field);
  }, [at, resetField]);
  return (
    <div className="wrap profile">
      <div>
        {!temporary && (
          <ButtonLink look="quiet" icon="chevronLeft" className="buy__back" to={linkTo("activeOrders")}>
            {t("profile.title")}
          </ButtonLink>
        )}
        <h1 className="type-page">{t("profile.edit")}</h1>
      </div>
      <div className="narrow-form stack">
        {temporary && <Notice tone="warning">{t("profile.temporary")}</Notice>}
        {at === "done" && (
          <Notice tone="success" alert>
            {confirms === null ? t("profile.saved") : t("profile.emailMailed", { email: confirms })}
          </Notice>
        )}
        <FormFrame
          form={form}
          refusal={refusal}
          submit={t("common.save")}
          busy={at === "sending"}
          onSubmit={({ current_password, password, password_confirmation, email, ...rest }) => {
            const passwords = { current_password, password, password_confirmation };
            if (email === "" && person) {
              form.setError("email", { message: "validation.emailMissing" });
              return;
            }
            const moves = !temporary && email !== (person?.email ?? "");
            if (moves && current_password === "") {
              form.setError("current_password", { message: "validation.required" });
              return;
            }
            setConfirms(moves ? email : null);
            const changed = { ...rest, ...(moves ? { email, current_password } : {}) };
            submit(account.hold(temporary ? passwords : password === "" ? changed : { ...changed, ...passwords }));
          }}
        >
          {!temporary && (
            <>
              <h2 className="type-section">{t("profile.names")}</h2>
              <NameFields first={form.register("first_name")} last={form.register("last_name")} errors={errors} />
              <Field
                {...form.register("phone")}
                type="tel"
                label={t("auth.phone")}
                autoComplete="tel"
                error={errorText(errors.phone)}
              />
              <Field
                {...form.register("email")}
                type="email"
                label={t("auth.email")}
                autoComplete="email"
                error={errorText(errors.email)}
                help={t("profile.emailHelp")}
              />
            </>
          )}
          <h2 className="type-section">{t("profile.changePassword")}</h2>
          <PasswordField
            {...form.register("current_password")}
            label={t("auth.currentPassword")}
            autoComplete="current-password"
            error={errorText(errors.current_password)}
          />
          <NewPasswordFields
            label={t("auth.newPassword")}
            password={form.register("password")}
            again={form.register("password_confirmation")}
            errors={errors}
          />
        </FormFrame>
        {!temporary && !remoteAuth && hasLogins && <Logins />}
        {!temporary && canDelete && <DeleteAccount />}
      </div>
    </div>
  );
}
