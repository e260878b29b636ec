import { useMemo } from "react";
import { type Formats, formatsFor } from "./format";
import { useTexts } from "./useTexts";

/** Formats for the page's language, in the viewer's time zone. */
export function useFormats(): Formats {
  const { language } = useTexts();
  return useMemo(() => formatsFor(language), [language]);
}
