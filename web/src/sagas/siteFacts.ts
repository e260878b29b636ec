import { languageOf } from "../lib/language";
import { selectAnalyticsKey } from "../slices/analytics";
import { selectCountryCode } from "../slices/catalogue";
import type { RootState } from "../slices/index";
import { selectPreference } from "../slices/preferences";
import { selectSite } from "../slices/site";

/** ANA-8. The site facts in each event. An unknown fact is absent. */
export type SiteFacts = { readonly [fact in (typeof NAMES)[number]]?: string };

const NAMES = ["channel", "analytics_key", "country", "language", "referrer", "app_version"] as const;

export function siteFacts(state: RootState): SiteFacts {
  const site = selectSite(state);
  // The page chooses its language the same way.
  const language = selectPreference("language")(state) ?? site.language;
  const facts: SiteFacts = {
    ...site,
    analytics_key: selectAnalyticsKey(state) ?? "",
    country: selectCountryCode(state),
    language: language === "" ? "" : languageOf(language),
  };
  return Object.fromEntries(NAMES.flatMap((name) => (facts[name] ? [[name, facts[name]]] : [])));
}
