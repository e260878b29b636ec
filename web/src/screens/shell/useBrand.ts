import type { BrandView } from "../../components/shell/Brand";
import { selectSettings } from "../../slices/catalogue";
import { useAppSelector } from "../state";

/** The channel's name and mark; empty until its settings are loaded. */
export function useBrand(): BrandView {
  const settings = useAppSelector(selectSettings);
  return {
    short: settings?.short_name ?? "",
    tagline: settings?.tagline ?? "",
    name: settings?.name ?? "",
    logo: settings && settings.logo !== "" ? settings.logo : null,
  };
}
