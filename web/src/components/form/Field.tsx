import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useState } from "react";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { Icon } from "../basic/Icon";
import type { IconName } from "../basic/icons";
import "./Field.css";

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, "className"> & {
  readonly label: ReactNode;
  /** Stands at the right end of the label. */
  readonly hint?: string;
  /** What is wrong; stays until it is mended. */
  readonly error?: string | undefined;
  readonly help?: ReactNode;
  readonly icon?: IconName;
  /** Something that acts, inside the field's right end. */
  readonly inside?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
};

/** One line of input with its label above and what is wrong with it below. */
export function Field({ label, hint, error, help, icon, inside, id, ...input }: FieldProps) {
  const own = useId();
  const field = id ?? own;
  const described = [error !== undefined && `${field}-error`, help !== undefined && `${field}-help`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={`field${error !== undefined ? " field--wrong" : ""}`}>
      <label className="field__label" htmlFor={field}>
        <span>{label}</span>
        {hint !== undefined && <span className="field__hint">{hint}</span>}
      </label>
      <span className="field__box">
        <input
          {...input}
          id={field}
          className="field__input"
          aria-invalid={error !== undefined}
          aria-describedby={described === "" ? undefined : described}
        />
        {icon && <Icon name={icon} />}
        {inside}
      </span>
      {error !== undefined && <FieldError id={`${field}-error`}>{error}</FieldError>}
      {help !== undefined && (
        <p className="type-meta muted" id={`${field}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

/** What is wrong with a field: icon, words and tone. */
export function FieldError({ id, children }: { readonly id?: string; readonly children: ReactNode }) {
  return (
    <p className="field__error" id={id}>
      <Icon name="alert" size="small" />
      <span>{children}</span>
    </p>
  );
}

/** A password, which can be shown. */
export function PasswordField(props: Omit<FieldProps, "type" | "inside">) {
  const { t } = useTexts();
  const [shown, setShown] = useState(false);
  return (
    <Field
      {...props}
      type={shown ? "text" : "password"}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      inside={
        <Button
          look="quiet"
          icon={shown ? "eyeOff" : "eye"}
          label={shown ? t("auth.hidePassword") : t("auth.showPassword")}
          onClick={() => setShown(!shown)}
        />
      }
    />
  );
}

type CheckboxProps = Omit<InputHTMLAttributes<HTMLInputElement>, "type" | "className"> & {
  readonly children: ReactNode;
  readonly error?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
};

/** A box to tick, with its sentence. */
export function Checkbox({ children, error, id, ...input }: CheckboxProps) {
  const own = useId();
  const field = id ?? own;
  return (
    <div>
      <label className={`checkbox${error !== undefined ? " checkbox--wrong" : ""}`} htmlFor={field}>
        <input
          {...input}
          id={field}
          type="checkbox"
          className="checkbox__input"
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${field}-error`}
        />
        <span className="checkbox__box" aria-hidden="true">
          <Icon name="check" size="small" />
        </span>
        <span>{children}</span>
      </label>
      {error !== undefined && <FieldError id={`${field}-error`}>{error}</FieldError>}
    </div>
  );
}
