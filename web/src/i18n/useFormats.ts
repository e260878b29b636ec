import { useMemo } from "react";
import { type Formats, formatsFor } from "./format";
import { useTexts } from "./useTexts";

/** The formats of the language that the page speaks now, in the viewer's time zone. */
export function useFormats(): Formats {
  const { language } = useTexts();
  return useMemo(() => formatsFor(language), [language]);
}
