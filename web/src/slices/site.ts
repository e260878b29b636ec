import { type PayloadAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** The page's facts about its site at load; empty before. */
export interface Site {
  /** The channel's key; empty if the shell names none. */
  readonly channel: string;
  /** The channel's language, from the shell. */
  readonly language: string;
  readonly app_version: string;
  /** The origin of the site that linked here; empty if none. */
  readonly referrer: string;
}

/** Per page and not stored: each page load provides it. */
export const site = createSlice({
  name: "site",
  initialState: { channel: "", language: "", app_version: "", referrer: "" } as Site,
  reducers: {
    /** Input of the session as the page opens. `trk`: the link's tracking value; absent in logs of earlier builds. */
    opened: (_, { payload: { trk: _trk, ...site } }: PayloadAction<Site & { readonly trk?: string | null }>): Site =>
      site,
  },
});

export const siteActions = site.actions;

export const selectSite = ({ site: state }: RootState): Site => state;
