import { createAction, createSlice, type PayloadAction } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import type { RootState } from "./index";

/** This page among the pages of the same browser. */
export interface TabsState {
  /** Names this tab; the same after a reload. */
  readonly id: string;
  /** Whether this tab holds the browser's lock: it alone persists, drains the outbox and takes over processes. */
  readonly holder: boolean;
  /** The other tabs that are there. */
  readonly others: readonly string[];
}

export const tabs = createSlice({
  name: "tabs",
  // Until the app has told who this is, it drives nothing.
  initialState: { id: "", holder: false, others: [] } as TabsState,
  reducers: {
    /** Input of the app, once, before anything else. */
    identified: (_, { payload }: PayloadAction<{ id: string; holder: boolean; others: string[] }>): TabsState =>
      payload,
    /** Input of the app: this tab got the lock, or never had it. */
    holderChanged: (state, { payload: { holder } }: PayloadAction<{ holder: boolean }>): TabsState => ({
      ...state,
      holder,
    }),
    /** Input of the app: a tab came or went. */
    othersChanged: (state, { payload: { others } }: PayloadAction<{ others: string[] }>): TabsState => ({
      ...state,
      others,
    }),
  },
});

/**
 * Browser-scoped facts of another tab, in its order (origin `storage`). The root reducer folds them into the
 * browser-scoped slices; a saga hears that something changed, never what, so that a process runs in the tab that began
 * it and nowhere else.
 */
export const factsHeard = createAction<{
  facts: {
    type: string;
    type_version?: number;
    payload?: unknown;
    /** In whose session it was told, null for nobody's; absent: an older build did not tell. */
    user?: Id | null;
  }[];
}>("tabs/factsHeard");

export const tabActions = tabs.actions;

export const selectTab = ({ tabs: state }: RootState): TabsState => state;
export const selectHolder = ({ tabs: { holder } }: RootState): boolean => holder;

/** Whether the tab that began a process is no longer there. */
export const selectGone =
  (owner: string) =>
  ({ tabs: { id, others } }: RootState): boolean =>
    id !== "" && owner !== id && !others.includes(owner);

/** Whether this tab drives a process that `owner` began: its own, or those of a tab that is gone. */
export const selectDrives =
  (owner: string) =>
  (state: RootState): boolean =>
    owner === state.tabs.id || (state.tabs.holder && selectGone(owner)(state));
