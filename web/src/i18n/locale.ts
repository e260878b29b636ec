import type { Language } from "../lib/language";
import { first } from "./en";
import { type Part, Texts, type Tree } from "./texts";

/** START-7. Milliseconds to wait for a language's texts before falling back to English. */
const LOCALE_LOAD_TIMEOUT = 120_000;

type Loaders = { readonly [language in Language]: { readonly [part in Part]: () => Promise<Tree> } };

const LOADERS: Loaders = {
  en: { first: async () => first, rest: async () => (await import("./en/rest")).rest },
  fr: { first: async () => (await import("./fr")).first, rest: async () => (await import("./fr/rest")).rest },
};

export const newTexts = (): Texts => new Texts(first);

/** The page's translator. */
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
 * Fetches the texts of `language` and switches the page to it. Returns the language in use: English if the texts don't
 * arrive in time.
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

/** Fetches the texts beyond the home page, in the page's language. */
export async function fetchRest(into: Texts = texts, loaders: Loaders = LOADERS): Promise<void> {
  into.wantsRest = true;
  await fetchPart(into, into.spoken().language, "rest", loaders);
}

/** Resolves once both `part` and its texts have loaded. */
export async function withTexts<T>(part: Promise<T>): Promise<T> {
  const [arrived] = await Promise.all([part, fetchRest()]);
  return arrived;
}
