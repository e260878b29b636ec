import { useEffect } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import type { Refusal } from "../../machines/auth";

/**
 * Applies a server error to a form: field errors appear under their fields. Returns the message that belongs to no
 * field.
 */
export function useRefusal<V extends FieldValues>(form: UseFormReturn<V>, refusal: Refusal | null): string | null {
  const { t } = useTexts();
  const { setError, getValues } = form;
  const names = new Set(Object.keys(getValues()));
  const blamed = Object.entries(refusal?.errors ?? {}).filter(([field]) => names.has(field));
  useEffect(() => {
    const fields = getValues();
    for (const [field, [message]] of Object.entries(refusal?.errors ?? {})) {
      if (message !== undefined && field in fields)
        setError(field as Path<V>, { type: "server", message: sentence(t, message) });
    }
  }, [refusal, setError, getValues, t]);
  if (refusal === null || blamed.length > 0) return null;
  return sentence(t, refusal.message);
}
