import type { Language } from "../lib/language";
import type { Catalogue } from "./en";

/** A catalogue, or a part of one. */
export interface Tree {
  readonly [key: string]: string | Tree;
}

type WithoutPlural<Key extends string> = Key extends `${infer Base}_${"one" | "other"}` ? Base : Key;
type Keys<T> = {
  [Key in keyof T & string]: T[Key] extends string ? WithoutPlural<Key> : `${Key}.${Keys<T[Key]>}`;
}[keyof T & string];

/** The name of a text. A text that counts is named without its plural's ending. */
export type TextKey = Keys<Catalogue>;
/** What fills the places of a text: `{{name}}`. A number named `count` chooses its plural. */
export type Values = { readonly [name: string]: string | number | undefined };
/** Gives a text of the language that is spoken. */
export type Translate = (key: TextKey, values?: Values) => string;

/** What a page needs to say something. It is another object whenever what it says may be another. */
export interface Spoken {
  readonly language: Language;
  readonly t: Translate;
}

/** What the home page says is there at once; the rest is fetched with the first screen that says it. */
export type Part = "first" | "rest";

function find(tree: Tree, path: readonly string[]): string | undefined {
  let at: string | Tree | undefined = tree;
  for (const step of path) at = typeof at === "object" ? at[step] : undefined;
  return typeof at === "string" ? at : undefined;
}

const fill = (text: string, values: Values): string =>
  text.replace(/\{\{(\w+)\}\}/g, (place, name: string) => String(values[name] ?? place));

/** The texts that are at hand, and the language that is spoken. */
export class Texts {
  /** Whether a screen was opened that says more than the home page: the next language is then fetched whole. */
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

  /** Speaks a language of which the first part is held. */
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
