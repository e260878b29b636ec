import { account } from "./account";
import { events } from "./events";
import { messages } from "./messages";
import { pages } from "./pages";
import { purchase } from "./purchase";
import { shell } from "./shell";

/** Every English text: the default language, and the shape that every other language has. */
export const en = { ...shell, ...events, ...account, ...purchase, ...pages, ...messages };

type Texts<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : Texts<T[Key]> };

/** The shape of a complete catalogue. */
export type Catalogue = Texts<typeof en>;
/** One file's share of a catalogue, for the same file of another language. */
export type Translated<T> = Texts<T>;
