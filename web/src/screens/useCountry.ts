import { useFormats } from "../i18n/useFormats";
import { selectCountryCode } from "../slices/catalogue";
import { useAppSelector } from "./state";

/** The name of the country that the viewer is taken to be in; null where nobody knows (GEO-2). */
export function useCountry(): string | null {
  const formats = useFormats();
  const code = useAppSelector(selectCountryCode);
  return code === "" ? null : formats.country(code);
}
