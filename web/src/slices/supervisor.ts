import { type PayloadAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** Number of crashes per process since the page load, and the last cause. */
export interface SupervisorState {
  readonly crashes: { readonly [saga: string]: { readonly count: number; readonly message: string } };
}

export const supervisor = createSlice({
  name: "supervisor",
  initialState: { crashes: {} } as SupervisorState,
  reducers: {
    sagaCrashed: (
      state,
      { payload: { saga, message } }: PayloadAction<{ saga: string; message: string }>,
    ): SupervisorState => ({
      crashes: { ...state.crashes, [saga]: { count: (state.crashes[saga]?.count ?? 0) + 1, message } },
    }),
    sagaRestarted: (state, _: PayloadAction<{ saga: string }>) => state,
  },
});

export const supervisorActions = supervisor.actions;
export const selectCrashes = ({ supervisor: { crashes } }: RootState) => crashes;
