import i18next, { type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import { type Catalogue, en } from "./en";

/** The languages that the site speaks. */
export const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];

/** How long a language's texts may take to arrive before English is shown instead, milliseconds. */
export const LOCALE_LOAD_TIMEOUT = 120_000;

type Loaders = { readonly [Other in Exclude<Language, "en">]: () => Promise<Catalogue> };

const LOADERS: Loaders = { fr: async () => (await import("./fr")).fr };

/** The language meant by a tag such as `fr-CA`; English where the site does not speak it. */
export function languageOf(tag: string | null | undefined): Language {
  const primary = tag?.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === primary) ?? "en";
}

function within<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the texts took too long to arrive")), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The one translator of the page, speaking English until {@link speak} says otherwise. */
export function startTexts(instance: i18n = i18next): i18n {
  void instance.use(initReactI18next).init({
    lng: "en",
    fallbackLng: "en",
    supportedLngs: [...LANGUAGES],
    resources: { en: { translation: en } },
    initAsync: false,
    interpolation: { escapeValue: false },
    returnNull: false,
    react: { useSuspense: false },
  });
  return instance;
}

/**
 * Switches the page to `language`, fetching its texts first. Answers the language that is spoken in the end: English
 * when the texts do not arrive in time.
 */
export async function speak(
  language: Language,
  instance: i18n = i18next,
  loaders: Loaders = LOADERS,
  limitMs: number = LOCALE_LOAD_TIMEOUT,
): Promise<Language> {
  let spoken = language;
  if (language !== "en" && !instance.hasResourceBundle(language, "translation")) {
    try {
      instance.addResourceBundle(language, "translation", await within(loaders[language](), limitMs));
    } catch {
      spoken = "en";
    }
  }
  await instance.changeLanguage(spoken);
  return spoken;
}
