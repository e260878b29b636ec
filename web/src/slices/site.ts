import { type PayloadAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** What a page knows of its site as it opens; all is empty before that. */
export interface Site {
  /** The channel's key; empty where the shell names none. */
  readonly channel: string;
  /** The channel's language, as the shell has it. */
  readonly language: string;
  /** The build of the site. */
  readonly app_version: string;
  /** The origin of another site that the viewer came from; empty: there is none. */
  readonly referrer: string;
}

/** Each page has its own, and stores none: the next page load brings it anew. */
export const site = createSlice({
  name: "site",
  initialState: { channel: "", language: "", app_version: "", referrer: "" } as Site,
  reducers: {
    /** Input of the session as the page opens. */
    opened: (_, { payload }: PayloadAction<Site>): Site => payload,
  },
});

export const siteActions = site.actions;

export const selectSite = ({ site: state }: RootState): Site => state;
