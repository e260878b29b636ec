import { useSyncExternalStore } from "react";
import { texts } from "./locale";
import type { Spoken } from "./texts";

export const useTexts = (): Spoken => useSyncExternalStore(texts.subscribe, texts.spoken);
