import { type PayloadAction } from "@reduxjs/toolkit";
import type { PlaybackPosition } from "../contracts/resources";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { queryActions } from "./queries";

/** PLAYBACK-1. The viewer's playback positions by subject (`event/25`); `kept`: stored in the account. */
export type PositionsState = { readonly [subject: string]: PlaybackPosition & { readonly kept: boolean } };

/** The account's limit; the oldest are dropped. */
const MAX_POSITIONS = 200;
/** Below this position nothing was watched, in milliseconds; above this share the end was reached. */
const MIN_WATCHED_MS = 5_000;
const WATCHED_SHARE = 0.95;

export const subjectOf = ({ kind, id }: Pick<PlaybackPosition, "kind" | "id">): string => `${kind}/${id}`;

/** The later position wins. */
const withPosition = (state: PositionsState, position: PlaybackPosition, isStored: boolean): PositionsState => {
  const subject = subjectOf(position);
  const existing = state[subject];
  if (existing && existing.at > position.at) return state;
  const all = Object.entries({ ...state, [subject]: { ...position, kept: isStored } });
  if (all.length <= MAX_POSITIONS) return Object.fromEntries(all);
  return Object.fromEntries(all.toSorted(([, a], [, b]) => b.at - a.at).slice(0, MAX_POSITIONS));
};

export const positions = createSlice({
  name: "positions",
  initialState: {} as PositionsState,
  reducers: {
    /** A position of the player. */
    noted: (state, { payload }: PayloadAction<PlaybackPosition>) => withPosition(state, payload, false),
    /** A position stored in the account: the viewer's, or a later one from another device. */
    kept: (state, { payload }: PayloadAction<PlaybackPosition>) => withPosition(state, payload, true),
  },
  extraReducers: (builder) =>
    builder
      .addCase(authActions.loggedOut, () => ({}))
      .addCase(authActions.reset, () => ({}))
      .addCase(
        queryActions.loaded,
        (state, { payload }): PositionsState =>
          payload.method === "api.listPlayback"
            ? payload.answer.reduce((now, one) => withPosition(now, one, true), state as PositionsState)
            : (state as PositionsState),
      ),
});

export const positionsActions = positions.actions;

export const selectPositions = ({ positions: state }: RootState): PositionsState => state;

/** The position to resume at, in milliseconds; 0 if barely started or finished. */
export const resumeAt = (position: PlaybackPosition | undefined): number =>
  position && position.position_ms >= MIN_WATCHED_MS && position.position_ms < position.duration_ms * WATCHED_SHARE
    ? position.position_ms
    : 0;

/** The watched share, 0 to 1. */
export const watchedShare = (position: PlaybackPosition | undefined): number => {
  const share = position ? position.position_ms / position.duration_ms : 0;
  return share >= WATCHED_SHARE ? 1 : share;
};
