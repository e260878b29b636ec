import type { first as english, Translated } from "../en";
import { events } from "./events";
import { messages } from "./messages";
import { shell } from "./shell";

/** French texts for the home page, fetched on demand. */
export const first: Translated<typeof english> = { ...shell, ...events, ...messages };
