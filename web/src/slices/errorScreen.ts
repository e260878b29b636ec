import { createAction, type PayloadAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** ERR-6. The global error that covers the page; a key that cannot be had is start-up's own. */
export type ErrorScreenState =
  | { readonly at: "none" }
  | {
      readonly at: "shown";
      readonly message: string;
      readonly status: number | null;
      /** Leads into the worker's traces. */
      readonly request_id: string | null;
    };

export const errorScreen = createSlice({
  name: "errorScreen",
  initialState: { at: "none" } as ErrorScreenState,
  reducers: {
    /** Input of the app: a call that may raise the global error failed, or a screen crashed. */
    raised: (
      _,
      { payload }: PayloadAction<{ message: string; status: number | null; request_id: string | null }>,
    ): ErrorScreenState => ({ at: "shown", ...payload }),
    /** The viewer goes on: the normal page is back. */
    cleared: (): ErrorScreenState => ({ at: "none" }),
  },
});

export const errorScreenActions = errorScreen.actions;

/** Input of the app: the worker asks to be left alone (ERR-1, 429). */
export const throttled = createAction<{ retry_after_ms: number | null }>("notices/throttled");

export const selectErrorScreen = ({ errorScreen: state }: RootState): ErrorScreenState => state;
