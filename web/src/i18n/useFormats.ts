import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Formats, formatsFor } from "./format";

/** The formats of the language that the page speaks now, in the viewer's time zone. */
export function useFormats(): Formats {
  const { i18n } = useTranslation();
  const language = i18n.resolvedLanguage ?? "en";
  return useMemo(() => formatsFor(language), [language]);
}
