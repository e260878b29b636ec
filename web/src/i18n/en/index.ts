import { events } from "./events";
import { messages } from "./messages";
import type { rest } from "./rest";
import { shell } from "./shell";

/** The English texts that the home page needs, and whatever stands around every page. */
export const first = { ...shell, ...events, ...messages };

type Texts<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : Texts<T[Key]> };

/** The shape of a complete catalogue: the default language's, which every other language has too. */
export type Catalogue = Texts<typeof first & typeof rest>;
/** One file's share of a catalogue, for the same file of another language. */
export type Translated<T> = Texts<T>;
