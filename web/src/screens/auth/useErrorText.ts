import { useCallback } from "react";
import { useTexts } from "../../i18n/useTexts";

/** Formats a field's error: schemas return a text key and, after a bar, its number. */
export function useErrorText(): (error: { readonly message?: string | undefined } | undefined) => string | undefined {
  const { t } = useTexts();
  return useCallback(
    (error) => {
      if (error?.message === undefined || error.message === "") return undefined;
      const [key = "", number] = error.message.split("|");
      return /^(validation|server)\./.test(key) ? t(key as "validation.required", { number }) : error.message;
    },
    [t],
  );
}
