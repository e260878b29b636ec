import { type PayloadAction } from "@reduxjs/toolkit";
import { SECOND } from "../lib/time";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

export type ToastType = "success" | "error" | "info";

/** TOAST-1. */
export interface Toast {
  readonly id: string;
  readonly text: string;
  readonly type: ToastType;
  /** Expiry in Unix milliseconds; null while the viewer hovers or focuses it. */
  readonly until: number | null;
}

export const TOAST_TIME = 5 * SECOND;
/** Limit of visible toasts; the oldest is dropped first. */
const MAX_VISIBLE = 4;

export const toast = createSlice({
  name: "toast",
  initialState: [] as readonly Toast[],
  reducers: {
    /** Requests a toast. `time` in milliseconds. */
    wanted: (state, _: PayloadAction<{ text: string; type?: ToastType; time?: number }>) => state,
    shown: (state, { payload }: PayloadAction<Toast>): Toast[] => [...state, payload].slice(-MAX_VISIBLE),
    /** Stays while hovered or focused. */
    held: (state, { payload: { id } }: PayloadAction<{ id: string }>) =>
      state.map((toast) => (toast.id === id ? { ...toast, until: null } : toast)),
    released: (state, _: PayloadAction<{ id: string }>) => state,
    extended: (state, { payload: { id, until } }: PayloadAction<{ id: string; until: number }>) =>
      state.map((toast) => (toast.id === id ? { ...toast, until } : toast)),
    closed: (state, { payload: { id } }: PayloadAction<{ id: string }>) => state.filter((toast) => toast.id !== id),
  },
});

export const toastActions = toast.actions;

export const selectToasts = ({ toast: state }: RootState): readonly Toast[] => state;
