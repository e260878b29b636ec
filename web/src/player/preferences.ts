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
  const preferences = useContext(PreferencesContext);
  const [local, setLocal] = useState<string | null>(null);
  return [
    (preferences ? preferences.get(name) : local) ?? initial,
    (value) => (preferences ? preferences.set(name, value) : setLocal(value)),
  ];
}
