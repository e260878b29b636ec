import { type PayloadAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

export interface PageVisit {
  /** The route's name; `content` for a page of the channel. */
  readonly name: string;
  readonly path: string;
  readonly params: { readonly [name: string]: string };
  /** Without personal or secret link parameters (`email`, `signature`, `code`, `expires`), which the app removes. */
  readonly query: { readonly [name: string]: string };
}

/** NAV-4. */
export interface NavigationState {
  readonly current: PageVisit | null;
  readonly previous: PageVisit | null;
  /** The page to return to after login: the last one that isn't an auth page. */
  readonly last: PageVisit | null;
}

export const navigation = createSlice({
  name: "navigation",
  initialState: { current: null, previous: null, last: null } as NavigationState,
  reducers: {
    /** Input of the app's router after each page change. `remembered`: not an auth page. `trk`: a link's value. */
    pageOpened: (
      state,
      { payload: { page, remembered } }: PayloadAction<{ page: PageVisit; remembered: boolean; trk: string | null }>,
    ): NavigationState => ({
      current: page,
      previous: state.current,
      last: remembered ? page : state.last,
    }),
  },
});

export const navigationActions = navigation.actions;

export const selectCurrentPage = ({ navigation: { current } }: RootState): PageVisit | null => current;
export const selectPreviousPage = ({ navigation: { previous } }: RootState): PageVisit | null => previous;
export const selectLastPage = ({ navigation: { last } }: RootState): PageVisit | null => last;
