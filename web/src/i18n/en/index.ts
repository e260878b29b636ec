import { events } from "./events";
import { messages } from "./messages";
import type { rest } from "./rest";
import { shell } from "./shell";

/** English texts for the home page and the shell around every page. */
export const first = { ...shell, ...events, ...messages };

type Texts<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : Texts<T[Key]> };

/** The shape of a complete catalogue. English, the default language, defines it. */
export type Catalogue = Texts<typeof first & typeof rest>;
/** One file of a catalogue, translated. */
export type Translated<T> = Texts<T>;
