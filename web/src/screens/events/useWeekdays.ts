import { useMemo } from "react";
import { useTexts } from "../../i18n/useTexts";

/** Short weekday names in the page's language: "Sat". */
export function useWeekdays(): { readonly weekday: (ms: number) => string } {
  const { language } = useTexts();
  return useMemo(() => {
    const weekday = new Intl.DateTimeFormat(language, { weekday: "short" });
    return { weekday: (ms) => weekday.format(ms) };
  }, [language]);
}
