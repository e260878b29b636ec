import { useMemo } from "react";
import { useTexts } from "../../i18n/useTexts";

/** Short words of days in the language that is spoken: "Sat". */
export function useWeekdays(): { readonly weekday: (ms: number) => string } {
  const { language } = useTexts();
  return useMemo(() => {
    const weekday = new Intl.DateTimeFormat(language, { weekday: "short" });
    return { weekday: (ms) => weekday.format(ms) };
  }, [language]);
}
