import { createContext, useContext, useState } from "react";

/** What a viewer chose for every video: a text by its name. */
export interface Preferences {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

/** Where choices are kept; without a provider they last as long as the player. */
export const PreferencesContext = createContext<Preferences | null>(null);

/** One choice, `initial` where none was made, and what makes another. */
export function usePreference(name: string, initial: string): readonly [string, (value: string) => void] {
  const kept = useContext(PreferencesContext);
  const [own, setOwn] = useState<string | null>(null);
  return [(kept ? kept.get(name) : own) ?? initial, (value) => (kept ? kept.set(name, value) : setOwn(value))];
}
