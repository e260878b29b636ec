/** The languages that the site speaks. */
export const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language meant by a tag such as `fr-CA`; English where the site does not speak it. */
export function languageOf(tag: string | null | undefined): Language {
  const primary = tag?.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === primary) ?? "en";
}
