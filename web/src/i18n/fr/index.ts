import type { first as english, Translated } from "../en";
import { events } from "./events";
import { messages } from "./messages";
import { shell } from "./shell";

/** The French texts that the home page needs; fetched when a channel or a viewer wants them. */
export const first: Translated<typeof english> = { ...shell, ...events, ...messages };
