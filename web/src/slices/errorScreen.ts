import { createAction, type PayloadAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** ERR-6. The error that covers the page. A missing key is start-up's own error. */
export type ErrorScreenState =
  | { readonly at: "none" }
  | {
      readonly at: "shown";
      readonly message: string;
      readonly status: number | null;
      /** Identifies the worker's traces. */
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
    /** The viewer continues to the normal page. */
    cleared: (): ErrorScreenState => ({ at: "none" }),
  },
});

export const errorScreenActions = errorScreen.actions;

/** Input of the app: the worker throttles (ERR-1, 429). */
export const throttled = createAction<{ retry_after_ms: number | null }>("notices/throttled");

export const selectErrorScreen = ({ errorScreen: state }: RootState): ErrorScreenState => state;
