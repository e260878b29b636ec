import { preferencesActions, selectPreference } from "../slices/preferences";
import { useAppDispatch, useAppSelector } from "./state";

export type ListView = "cards" | "table";

const PREFERENCE = "list_view";

/** The viewer's list view, rows by default; stored with their preferences (LIST-2). */
export function useListView(): readonly [ListView, (view: ListView) => void] {
  const dispatch = useAppDispatch();
  const view = useAppSelector(selectPreference(PREFERENCE)) === "cards" ? "cards" : "table";
  return [view, (value) => dispatch(preferencesActions.chose({ name: PREFERENCE, value }))];
}
