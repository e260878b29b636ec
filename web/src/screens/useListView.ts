import { preferencesActions, selectPreference } from "../slices/preferences";
import { useAppDispatch, useAppSelector } from "./state";

export type ListView = "cards" | "table";

const PREFERENCE = "list_view";

/** How the viewer wants lists shown, as rows unless they chose cards; kept with their preferences (LIST-2). */
export function useListView(): readonly [ListView, (view: ListView) => void] {
  const dispatch = useAppDispatch();
  const view = useAppSelector(selectPreference(PREFERENCE)) === "cards" ? "cards" : "table";
  return [view, (value) => dispatch(preferencesActions.chose({ name: PREFERENCE, value }))];
}
