import type { Theatre } from "../../player/Controls";
import { preferencesActions, selectPreference } from "../../slices/preferences";
import { useAppDispatch, useAppSelector } from "../state";

const NAME = "player_theatre";

/** The viewer's theatre mode and its toggle (LIM-2, MEDIA-10). */
export function useTheatre(): Theatre {
  const dispatch = useAppDispatch();
  const on = useAppSelector(selectPreference(NAME)) === "on";
  return { on, onToggle: () => dispatch(preferencesActions.chose({ name: NAME, value: on ? "off" : "on" })) };
}
