import { type PayloadAction } from "@reduxjs/toolkit";
import { DAY } from "../lib/time";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

interface Stored {
  readonly value: string;
  /** Unix milliseconds. */
  readonly expires_at: number;
}

/** LIM-2. The viewer's preferences by prefixed name, and the tracking value of the link that led here (NAV-6). */
export interface PreferencesState {
  readonly chosen: { readonly [name: string]: Stored };
  readonly trk: Stored | null;
}

export const PREFERENCE_LIFETIME = 360 * DAY;
/** Precedes each stored preference's name. Older preferences lack it until they are set again. */
const PREFIX = "touchline.";
/** A viewer's searches (SEARCH-3). */
export const RECENT_SEARCHES = "recent_searches";
/** Names come from the site's code: more than this is a defect. */
const MAX_PREFERENCES = 50;

/** LOG-4: the searches end with their viewer. */
function withoutSearches(state: PreferencesState): PreferencesState {
  const { [PREFIX + RECENT_SEARCHES]: _, [RECENT_SEARCHES]: __, ...chosen } = state.chosen;
  return { ...state, chosen };
}

export const preferences = createSlice({
  name: "preferences",
  initialState: { chosen: {}, trk: null } as PreferencesState,
  reducers: {
    /** The viewer set a preference, such as language, list layout or volume. */
    chose: (state, _: PayloadAction<{ name: string; value: string }>) => state,
    kept: (
      state,
      { payload: { name, value, expires_at } }: PayloadAction<{ name: string } & Stored>,
    ): PreferencesState => {
      const { [name]: _, ...others } = state.chosen;
      const chosen = Object.entries({ ...others, [PREFIX + name]: { value, expires_at } });
      return { ...state, chosen: Object.fromEntries(chosen.slice(-MAX_PREFERENCES)) };
    },
    trkHeld: (state, { payload }: PayloadAction<Stored>): PreferencesState => ({ ...state, trk: payload }),
    /** Drops expired values. */
    expired: (state, { payload: { at } }: PayloadAction<{ at: number }>): PreferencesState => ({
      chosen: Object.fromEntries(Object.entries(state.chosen).filter(([, { expires_at }]) => expires_at > at)),
      trk: state.trk !== null && state.trk.expires_at > at ? state.trk : null,
    }),
  },
  extraReducers: (builder) =>
    builder
      // AUTH-2: logging out drops the tracking value.
      .addCase(authActions.loggedOut, (state) => ({ ...withoutSearches(state), trk: null }))
      .addCase(authActions.reset, withoutSearches)
      .addCase(authActions.succeeded, withoutSearches),
});

export const preferencesActions = preferences.actions;

export const selectPreference =
  (name: string) =>
  ({ preferences: { chosen } }: Pick<RootState, "preferences">): string | null =>
    (chosen[PREFIX + name] ?? chosen[name])?.value ?? null;
/** The stored value, expired or not: the reader knows the time. */
export const selectTrk = ({ preferences: { trk } }: RootState): Stored | null => trk;
