import type { Catalogue } from "../en";
import { account } from "./account";
import { events } from "./events";
import { messages } from "./messages";
import { pages } from "./pages";
import { purchase } from "./purchase";
import { shell } from "./shell";

/** Every French text; fetched when a channel or a viewer wants it. */
export const fr: Catalogue = { ...shell, ...events, ...account, ...purchase, ...pages, ...messages };
