import type { Language } from "../lib/language";
import { first } from "./en";
import { type Part, Texts, type Tree } from "./texts";

/** START-7. How long a language's texts may take to arrive before English is shown instead, milliseconds. */
export const LOCALE_LOAD_TIMEOUT = 120_000;

type Loaders = { readonly [language in Language]: { readonly [part in Part]: () => Promise<Tree> } };

const LOADERS: Loaders = {
  en: { first: async () => first, rest: async () => (await import("./en/rest")).rest },
  fr: { first: async () => (await import("./fr")).first, rest: async () => (await import("./fr/rest")).rest },
};

/** Texts that speak English until {@link speak} says otherwise. */
export const newTexts = (): Texts => new Texts(first);

/** The one translator of the page. */
export const texts: Texts = newTexts();

function within<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the texts took too long to arrive")), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function fetchPart(into: Texts, language: Language, part: Part, loaders: Loaders): Promise<void> {
  if (!into.holds(language, part)) into.hold(language, part, await loaders[language][part]());
}

/**
 * Switches the page to `language`, fetching its texts first. Answers the language that is spoken in the end: English
 * when the texts do not arrive in time.
 */
export async function speak(
  language: Language,
  into: Texts = texts,
  loaders: Loaders = LOADERS,
  limitMs: number = LOCALE_LOAD_TIMEOUT,
): Promise<Language> {
  const parts: readonly Part[] = into.wantsRest ? ["first", "rest"] : ["first"];
  let spoken = language;
  try {
    await within(Promise.all(parts.map((part) => fetchPart(into, language, part, loaders))), limitMs);
  } catch {
    spoken = "en";
  }
  into.speak(spoken);
  return spoken;
}

/** Fetches what the home page does not say, in the language of the page. */
export async function fetchRest(into: Texts = texts, loaders: Loaders = LOADERS): Promise<void> {
  into.wantsRest = true;
  await fetchPart(into, into.spoken().language, "rest", loaders);
}

/** A part of the site that says what the home page does not: it arrives with its texts. */
export async function withTexts<T>(part: Promise<T>): Promise<T> {
  const [arrived] = await Promise.all([part, fetchRest()]);
  return arrived;
}
