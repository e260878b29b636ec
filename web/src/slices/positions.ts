import { type PayloadAction } from "@reduxjs/toolkit";
import type { PlaybackPosition } from "../contracts/resources";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { queryActions } from "./queries";

/** PLAYBACK-1. Where the viewer stands in what they watch, by `event/25`; `kept`: the account has it. */
export type PositionsState = { readonly [subject: string]: PlaybackPosition & { readonly kept: boolean } };

/** As many as the account keeps: the oldest go. */
const MOST = 200;
/** Less than this is no start, milliseconds; more than this share is the end. */
const BEGUN_MS = 5_000;
const SEEN = 0.95;

export const subjectOf = ({ kind, id }: Pick<PlaybackPosition, "kind" | "id">): string => `${kind}/${id}`;

/** The later one stands. */
const put = (state: PositionsState, position: PlaybackPosition, kept: boolean): PositionsState => {
  const subject = subjectOf(position);
  const known = state[subject];
  if (known && known.at > position.at) return state;
  const all = Object.entries({ ...state, [subject]: { ...position, kept } });
  if (all.length <= MOST) return Object.fromEntries(all);
  return Object.fromEntries(all.toSorted(([, a], [, b]) => b.at - a.at).slice(0, MOST));
};

export const positions = createSlice({
  name: "positions",
  initialState: {} as PositionsState,
  reducers: {
    /** The player stood there. */
    noted: (state, { payload }: PayloadAction<PlaybackPosition>) => put(state, payload, false),
    /** The account has this one: the viewer's, or a later one of another device. */
    kept: (state, { payload }: PayloadAction<PlaybackPosition>) => put(state, payload, true),
  },
  extraReducers: (builder) =>
    builder
      .addCase(authActions.loggedOut, () => ({}))
      .addCase(authActions.reset, () => ({}))
      .addCase(
        queryActions.loaded,
        (state, { payload }): PositionsState =>
          payload.method === "api.listPlayback"
            ? payload.answer.reduce((now, one) => put(now, one, true), state as PositionsState)
            : (state as PositionsState),
      ),
});

export const positionsActions = positions.actions;

export const selectPositions = ({ positions: state }: RootState): PositionsState => state;

/** Where to go on, milliseconds; 0 where it was hardly begun, or is seen. */
export const resumeAt = (position: PlaybackPosition | undefined): number =>
  position && position.position_ms >= BEGUN_MS && position.position_ms < position.duration_ms * SEEN
    ? position.position_ms
    : 0;

/** The share that was seen, 0 to 1. */
export const shareSeen = (position: PlaybackPosition | undefined): number => {
  const share = position ? position.position_ms / position.duration_ms : 0;
  return share >= SEEN ? 1 : share;
};
