import { useMemo } from "react";
import { useStore } from "react-redux";
import type { Preferences } from "../player/preferences";
import type { RootState } from "../slices";
import { preferencesActions, selectPreference } from "../slices/preferences";
import { useAppSelector } from "./state";

/** The viewer's player preferences, stored with the others (LIM-2). */
export function usePlayerPreferences(): Preferences {
  const store = useStore<RootState>();
  const preferences = useAppSelector((state) => state.preferences);
  return useMemo(
    () => ({
      get: (name) => selectPreference(name)({ preferences }),
      set: (name, value) => store.dispatch(preferencesActions.chose({ name, value })),
    }),
    [preferences, store],
  );
}
