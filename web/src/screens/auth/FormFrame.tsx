import { type ReactNode, useEffect, useRef } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { Button } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import { revealFirstError, useErrorReveal } from "../../components/form/reveal";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import type { Refusal } from "../../machines/auth";
import { readFields } from "./readFields";

interface FormFrameProps<V extends FieldValues> {
  readonly form: UseFormReturn<V, unknown, V>;
  /** The server's refusal. Errors of fields appear under their fields. */
  readonly refusal: Refusal | null;
  /** Label of the button. */
  readonly submit: string;
  readonly busy: boolean;
  readonly onSubmit: (values: V) => unknown;
  readonly children: ReactNode;
}

/**
 * A form and its button. Errors appear under their fields until they are fixed. Other reasons and the number of errors
 * appear above the button.
 */
export function FormFrame<V extends FieldValues>(props: FormFrameProps<V>) {
  const { form, refusal, submit, busy, onSubmit, children } = props;
  const { t } = useTexts();
  const { setError, getValues } = form;
  const { errors, submitCount, isSubmitting } = form.formState;
  const element = useErrorReveal<HTMLFormElement>(submitCount);
  /** Whether the server's errors will be displayed by the next rendering. */
  const isPending = useRef(false);
  useEffect(() => {
    if (!isPending.current) return;
    isPending.current = false;
    revealFirstError(element.current);
  });
  useEffect(() => {
    if (refusal === null) return;
    for (const [field, message] of rejectedFields(refusal, getValues()))
      setError(field as Path<V>, { type: "server", message: sentence(t, message) });
    isPending.current = true;
  }, [refusal, setError, getValues, t]);
  const isGeneral = refusal !== null && rejectedFields(refusal, getValues()).length === 0;
  const count = Object.keys(errors).length;
  return (
    <form
      ref={element}
      className="stack"
      noValidate
      onSubmit={(event) => {
        readFields(form, event.currentTarget);
        return form.handleSubmit((values) => onSubmit(values))(event);
      }}
    >
      {children}
      {isGeneral ? (
        <FormAlert refusal={refusal}>{sentence(t, refusal.message)}</FormAlert>
      ) : (
        count > 1 && (
          <Notice tone="danger" alert>
            {t("auth.summary", { count })}
          </Notice>
        )
      )}
      <Button type="submit" look="primary" size="big" block busy={busy || isSubmitting}>
        {submit}
      </Button>
    </form>
  );
}

/** The form's fields in a refusal, each with its first message. */
const rejectedFields = ({ errors }: Refusal, values: FieldValues): readonly (readonly [string, string])[] =>
  Object.entries(errors).flatMap(([field, [message]]) =>
    message !== undefined && field in values ? [[field, message] as const] : [],
  );
