import { useFormats } from "../i18n/useFormats";
import { selectCountryCode } from "../slices/catalogue";
import { useAppSelector } from "./state";

/** The name of the viewer's country; null if unknown (GEO-2). */
export function useCountry(): string | null {
  const formats = useFormats();
  const code = useAppSelector(selectCountryCode);
  return code === "" ? null : formats.country(code);
}
