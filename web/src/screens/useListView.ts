import { preferencesActions, selectPreference } from "../slices/preferences";
import { useAppDispatch, useAppSelector } from "./state";

export type ListView = "cards" | "table";

const PREFERENCE = "list_view";

/** How the viewer wants lists shown; kept with their preferences (LIST-2). */
export function useListView(): readonly [ListView, (view: ListView) => void] {
  const dispatch = useAppDispatch();
  const view = useAppSelector(selectPreference(PREFERENCE)) === "table" ? "table" : "cards";
  return [view, (value) => dispatch(preferencesActions.chose({ name: PREFERENCE, value }))];
}
