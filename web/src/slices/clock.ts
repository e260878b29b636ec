import type { PayloadAction } from "@reduxjs/toolkit";
import type { ClockReading } from "../ports/clock";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

export interface ClockState {
  /** The channel's clock minus the device's, in milliseconds; 0 until an answer contradicts the device's. */
  readonly offset_ms: number;
}

/** A smaller error isn't corrected, in milliseconds: the answers' times are in whole seconds. */
const TOLERANCE_MS = 2_000;

/** Per page and not stored: the first answers of each page load provide it. */
export const clock = createSlice({
  name: "clock",
  initialState: { offset_ms: 0 } as ClockState,
  reducers: {
    /** Input of the API: an answer contradicted the known offset. */
    corrected: (_, { payload }: PayloadAction<ClockState>): ClockState => payload,
  },
});

export const clockActions = clock.actions;

/** The channel's clock minus the device's, in milliseconds (START-8). */
export const selectClockOffset = ({ clock: state }: RootState): number => state.offset_ms;

const fits = (offset: number, { min, max }: ClockReading): boolean =>
  offset >= min - TOLERANCE_MS && offset <= max + TOLERANCE_MS;

/** The offset after a reading: the known one if the reading allows it, or none, or the middle of the reading. */
export function offsetAfter(known: number, reading: ClockReading): number {
  if (fits(known, reading)) return known;
  return fits(0, reading) ? 0 : Math.round((reading.min + reading.max) / 2);
}
