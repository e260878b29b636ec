import type { FormEventHandler, ReactNode } from "react";
import type { FieldErrors, FieldValues } from "react-hook-form";
import { Notice } from "../../components/basic/Notice";
import { useTexts } from "../../i18n/useTexts";

interface FormFrameProps {
  readonly errors: FieldErrors<FieldValues>;
  /** A server error that doesn't belong to a field. */
  readonly refusal: string | null;
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  readonly children: ReactNode;
}

/** A form with a summary of its errors, which also appear under their fields until they are fixed. */
export function FormFrame({ errors, refusal, onSubmit, children }: FormFrameProps) {
  const { t } = useTexts();
  const count = Object.keys(errors).length;
  const text = refusal ?? (count > 1 ? t("auth.summary", { count }) : null);
  return (
    <form className="stack" noValidate onSubmit={onSubmit}>
      {text !== null && (
        <Notice tone="danger" alert>
          {text}
        </Notice>
      )}
      {children}
    </form>
  );
}
