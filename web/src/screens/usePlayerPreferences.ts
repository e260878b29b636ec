import { useMemo } from "react";
import { useStore } from "react-redux";
import type { Preferences } from "../player/preferences";
import type { RootState } from "../slices";
import { preferencesActions } from "../slices/preferences";
import { useAppSelector } from "./state";

/** What the viewer chose for every video, kept with their other preferences (LIM-2). */
export function usePlayerPreferences(): Preferences {
  const store = useStore<RootState>();
  const chosen = useAppSelector(({ preferences }) => preferences.chosen);
  return useMemo(
    () => ({
      get: (name) => chosen[name]?.value ?? null,
      set: (name, value) => store.dispatch(preferencesActions.chose({ name, value })),
    }),
    [chosen, store],
  );
}
