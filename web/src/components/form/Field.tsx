import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useState } from "react";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { Icon } from "../basic/Icon";
import type { IconName } from "../basic/icons";
import "./Field.css";

const EYE = {
  path: "M2.500 12q4-6.500 9.500-6.500t9.500 6.500q-4 6.500-9.500 6.500T2.500 12M9.200 12a2.800 2.800 0 1 0 5.600 0a2.800 2.800 0 1 0-5.600 0",
};
const EYE_OFF = {
  path: "M4 4l16 16M9.900 5.700q1-.2 2.100-.2q5.500 0 9.500 6.500q-1.200 2-2.700 3.400M6.500 7.500q-2.200 1.600-4 4.500q4 6.500 9.500 6.500q2.300 0 4.300-1",
};

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, "className"> & {
  readonly label: ReactNode;
  /** At the right end of the label. */
  readonly hint?: string;
  /** The validation error, until it is fixed. */
  readonly error?: string | undefined;
  readonly help?: ReactNode;
  readonly icon?: IconName;
  /** A control inside the field, at its right end. */
  readonly inside?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
};

/** A text input with a label above and an error below. */
export function Field({ label, hint, error, help, icon, inside, id, ...input }: FieldProps) {
  const generatedId = useId();
  const field = id ?? generatedId;
  const described = [error !== undefined && `${field}-error`, help !== undefined && `${field}-help`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={`field${error !== undefined ? " field--wrong" : ""}`} data-field>
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

export function FieldError({ id, children }: { readonly id?: string; readonly children: ReactNode }) {
  return (
    <p className="field__error" id={id}>
      <Icon name="alert" size="small" />
      <span>{children}</span>
    </p>
  );
}

/** A password field with a button that reveals it. */
export function PasswordField(props: Omit<FieldProps, "type" | "inside">) {
  const { t } = useTexts();
  const [isVisible, setVisible] = useState(false);
  return (
    <Field
      {...props}
      type={isVisible ? "text" : "password"}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      inside={
        <Button
          look="quiet"
          icon={isVisible ? EYE_OFF : EYE}
          label={isVisible ? t("auth.hidePassword") : t("auth.showPassword")}
          onClick={() => setVisible(!isVisible)}
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

export function Checkbox({ children, error, id, ...input }: CheckboxProps) {
  const generatedId = useId();
  const field = id ?? generatedId;
  return (
    <div data-field>
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
