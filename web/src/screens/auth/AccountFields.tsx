import type { UseFormRegisterReturn } from "react-hook-form";
import { Field, PasswordField } from "../../components/form/Field";
import { useTexts } from "../../i18n/useTexts";
import { useErrorText } from "./useErrorText";

type Errors<Name extends string> = { readonly [K in Name]?: { readonly message?: string | undefined } | undefined };

export function NameFields({
  first,
  last,
  errors,
}: {
  readonly first: UseFormRegisterReturn;
  readonly last: UseFormRegisterReturn;
  readonly errors: Errors<"first_name" | "last_name">;
}) {
  const { t } = useTexts();
  const errorText = useErrorText();
  return (
    <div className="field-pair">
      <Field {...first} label={t("auth.firstName")} autoComplete="given-name" error={errorText(errors.first_name)} />
      <Field {...last} label={t("auth.lastName")} autoComplete="family-name" error={errorText(errors.last_name)} />
    </div>
  );
}

/** The address that an account is known by. */
export function EmailField({
  email,
  errors,
}: {
  readonly email: UseFormRegisterReturn;
  readonly errors: Errors<"email">;
}) {
  const { t } = useTexts();
  const errorText = useErrorText();
  return (
    <Field
      {...email}
      type="email"
      label={t("auth.email")}
      autoComplete="username"
      inputMode="email"
      error={errorText(errors.email)}
    />
  );
}

/** A new password and its confirmation. */
export function NewPasswordFields({
  label,
  password,
  again,
  errors,
}: {
  readonly label: string;
  readonly password: UseFormRegisterReturn;
  readonly again: UseFormRegisterReturn;
  readonly errors: Errors<"password" | "password_confirmation">;
}) {
  const { t } = useTexts();
  const errorText = useErrorText();
  return (
    <>
      <PasswordField
        {...password}
        label={label}
        hint={t("auth.passwordHelp")}
        autoComplete="new-password"
        error={errorText(errors.password)}
      />
      <PasswordField
        {...again}
        label={t("auth.passwordAgain")}
        autoComplete="new-password"
        error={errorText(errors.password_confirmation)}
      />
    </>
  );
}
