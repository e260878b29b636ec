import { createAction, type PayloadAction } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import { preroll as machine, type PrerollPlay } from "../machines/preroll";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const preroll = machineSlice(machine);
export const prerollActions = preroll.actions;

/** Progress points between a preroll's first frame and its end, in percent, as IAB VAST counts. */
export type SpotQuarter = 25 | 50 | 75;
/** The player reached this point of a preroll. */
export const spotQuarterReached = createAction<{ quarter: SpotQuarter }>("preroll/quarterReached");

/** One showing: the viewer, the preroll, and the event or video it preceded. */
export interface PrerollShowing {
  /** The user's id, or the analytics profile key of an anonymous viewer. */
  viewer: string;
  event_id: Id;
  vod_id?: Id;
  preroll_id: Id;
}

/** Expiry of each showing, in Unix milliseconds. */
export type PrerollRecords = { readonly [showing: string]: number };

export const showingKey = ({ viewer, event_id, vod_id, preroll_id }: PrerollShowing): string =>
  `${viewer}/${vod_id === undefined ? event_id : `vod-${vod_id}`}/${preroll_id}`;

/** PRE-3. Stored for the whole browser, so that two tabs don't repeat a preroll. */
export const prerollRecords = createSlice({
  name: "prerollRecords",
  initialState: {} as PrerollRecords,
  reducers: {
    /** Put by the saga at the preroll's first frame. Also drops expired records. */
    recorded: (
      state,
      { payload: { at, expires_at, ...showing } }: PayloadAction<PrerollShowing & { at: number; expires_at: number }>,
    ): PrerollRecords => ({
      ...Object.fromEntries(Object.entries(state).filter(([, until]) => until > at)),
      [showingKey(showing)]: expires_at,
    }),
  },
});

export const prerollRecordActions = prerollRecords.actions;

export const selectPreroll = ({ preroll: state }: RootState): PrerollPlay => state;
export const selectPrerollRecords = ({ prerollRecords: records }: RootState): PrerollRecords => records;
/** The video itself may play. */
export const selectPrerollOver = ({ preroll: { at } }: RootState): boolean => at === "done" || at === "suppressed";
