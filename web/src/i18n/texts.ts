import { isolated } from "../lib/isolated";
import type { Language } from "../lib/language";
import type { Catalogue } from "./en";

export interface Tree {
  readonly [key: string]: string | Tree;
}

type WithoutPlural<Key extends string> = Key extends `${infer Base}_${"one" | "other"}` ? Base : Key;
type Keys<T> = {
  [Key in keyof T & string]: T[Key] extends string ? WithoutPlural<Key> : `${Key}.${Keys<T[Key]>}`;
}[keyof T & string];

/** The key of a text, without a plural suffix. */
export type TextKey = Keys<Catalogue>;
/** Values for placeholders such as `{{name}}`. A number named `count` selects the plural form. */
export type Values = { readonly [name: string]: string | number | undefined };
export type Translate = (key: TextKey, values?: Values) => string;

/** The current translator. A new object replaces it whenever any text may have changed. */
export interface Spoken {
  readonly language: Language;
  readonly t: Translate;
}

/** The home page's texts are loaded at once, the rest with the first screen that needs them. */
export type Part = "first" | "rest";

function find(tree: Tree, path: readonly string[]): string | undefined {
  let at: string | Tree | undefined = tree;
  for (const step of path) at = typeof at === "object" ? at[step] : undefined;
  return typeof at === "string" ? at : undefined;
}

/** Values are names from data, or formatted numbers and dates. */
const fill = (text: string, values: Values): string =>
  text.replace(/\{\{(\w+)\}\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : isolated(String(value));
  });

/** Loaded texts and the current language. */
export class Texts {
  /** Whether a screen beyond the home page was opened: the next language is then fetched whole. */
  wantsRest = false;
  readonly #held = new Map<Language, { readonly [part in Part]?: Tree }>();
  readonly #listeners = new Set<() => void>();
  #spoken: Spoken;

  constructor(english: Tree) {
    this.#held.set("en", { first: english });
    this.#spoken = this.#speaking("en");
  }

  readonly spoken = (): Spoken => this.#spoken;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  holds(language: Language, part: Part): boolean {
    return this.#held.get(language)?.[part] !== undefined;
  }

  hold(language: Language, part: Part, tree: Tree): void {
    this.#held.set(language, { ...this.#held.get(language), [part]: tree });
    if (language === this.#spoken.language) this.speak(language);
  }

  /** Switches to a language whose first part is loaded. */
  speak(language: Language): void {
    this.#spoken = this.#speaking(language);
    for (const listener of [...this.#listeners]) listener();
  }

  #speaking(language: Language): Spoken {
    const plurals = new Intl.PluralRules(language);
    const find = (key: string) => this.#find(language, key) ?? this.#find("en", key);
    return {
      language,
      t(key, values = {}) {
        const { count } = values;
        const plural =
          typeof count === "number" ? (find(`${key}_${plurals.select(count)}`) ?? find(`${key}_other`)) : undefined;
        return fill(plural ?? find(key) ?? key, values);
      },
    };
  }

  #find(language: Language, key: string): string | undefined {
    const { first = {}, rest = {} } = this.#held.get(language) ?? {};
    const path = key.split(".");
    return find(first, path) ?? find(rest, path);
  }
}
