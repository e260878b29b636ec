import { useSyncExternalStore } from "react";
import { texts } from "./locale";
import type { Spoken } from "./texts";

/** The texts of the language that the page speaks now. */
export const useTexts = (): Spoken => useSyncExternalStore(texts.subscribe, texts.spoken);
