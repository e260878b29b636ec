import { useCallback } from "react";
import { useTranslation } from "react-i18next";

/** What is wrong with a field, in words: schemas say a text's key and, behind a bar, its number. */
export function useErrorText(): (error: { readonly message?: string | undefined } | undefined) => string | undefined {
  const { t } = useTranslation();
  return useCallback(
    (error) => {
      if (error?.message === undefined || error.message === "") return undefined;
      const [key = "", number] = error.message.split("|");
      return key.startsWith("validation.") ? t(key as "validation.required", { number }) : error.message;
    },
    [t],
  );
}
