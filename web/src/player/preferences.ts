import { createContext, useContext, useState } from "react";

/** The viewer's preferences for all videos: text values by name. */
export interface Preferences {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

/** The store of preferences; without a provider they last as long as the player. */
export const PreferencesContext = createContext<Preferences | null>(null);

/** A preference, `initial` if unset, and its setter. */
export function usePreference(name: string, initial: string): readonly [string, (value: string) => void] {
  const kept = useContext(PreferencesContext);
  const [own, setOwn] = useState<string | null>(null);
  return [(kept ? kept.get(name) : own) ?? initial, (value) => (kept ? kept.set(name, value) : setOwn(value))];
}
