export const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of a tag such as `fr-CA`; English if the site lacks it. */
export function languageOf(tag: string | null | undefined): Language {
  const primary = tag?.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === primary) ?? "en";
}
