import { type PayloadAction } from "@reduxjs/toolkit";
import { DAY } from "../lib/time";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

interface Kept {
  readonly value: string;
  /** Unix milliseconds. */
  readonly expires_at: number;
}

/** LIM-2. What the viewer chose, by its prefixed name, and the tracking value of the link that they came by (NAV-6). */
export interface PreferencesState {
  readonly chosen: { readonly [name: string]: Kept };
  readonly trk: Kept | null;
}

export const PREFERENCE_LIFETIME = 360 * DAY;
/** Stands before the name of each preference where it is stored. Older ones stand without it until they are chosen anew. */
const PREFIX = "touchline.";
/** Names are the site's own: more than this many is a defect. */
const MOST = 50;

export const preferences = createSlice({
  name: "preferences",
  initialState: { chosen: {}, trk: null } as PreferencesState,
  reducers: {
    /** The viewer chose: the language, how lists are shown, the loudness. */
    chose: (state, _: PayloadAction<{ name: string; value: string }>) => state,
    kept: (
      state,
      { payload: { name, value, expires_at } }: PayloadAction<{ name: string } & Kept>,
    ): PreferencesState => {
      const { [name]: _, ...others } = state.chosen;
      const chosen = Object.entries({ ...others, [PREFIX + name]: { value, expires_at } });
      return { ...state, chosen: Object.fromEntries(chosen.slice(-MOST)) };
    },
    trkHeld: (state, { payload }: PayloadAction<Kept>): PreferencesState => ({ ...state, trk: payload }),
    /** What has run out goes. */
    expired: (state, { payload: { at } }: PayloadAction<{ at: number }>): PreferencesState => ({
      chosen: Object.fromEntries(Object.entries(state.chosen).filter(([, { expires_at }]) => expires_at > at)),
      trk: state.trk !== null && state.trk.expires_at > at ? state.trk : null,
    }),
  },
  extraReducers: (builder) =>
    // AUTH-2: leaving drops the tracking value.
    builder.addCase(authActions.loggedOut, (state) => ({ ...state, trk: null })),
});

export const preferencesActions = preferences.actions;

export const selectPreference =
  (name: string) =>
  ({ preferences: { chosen } }: Pick<RootState, "preferences">): string | null =>
    (chosen[PREFIX + name] ?? chosen[name])?.value ?? null;
/** What was kept, whether it has run out or not: whoever reads it knows the time. */
export const selectTrk = ({ preferences: { trk } }: RootState): Kept | null => trk;
