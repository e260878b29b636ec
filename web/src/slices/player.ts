import { type PayloadAction } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import type { ViewingReport } from "../contracts/viewing";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { startupActions } from "./startup";

/** The media on the player. */
export interface Playable {
  readonly kind: "event" | "vod" | "clip";
  readonly id: Id;
  /** The media's id. */
  readonly stream_id: Id;
  readonly stream_type: "live" | "vod" | "clip";
}

/** The video on the page. Inputs come from the player (origin `ui`); positions are in seconds. */
export type PlayerState =
  | { readonly at: "closed" }
  | { readonly at: "loading"; readonly view: Playable }
  | { readonly at: "playing"; readonly view: Playable }
  | { readonly at: "paused"; readonly view: Playable }
  | { readonly at: "stalled"; readonly view: Playable }
  | { readonly at: "ended"; readonly view: Playable }
  | { readonly at: "failed"; readonly view: Playable; readonly code: string };

const to =
  (at: "playing" | "paused" | "stalled" | "ended") =>
  (state: PlayerState, _: PayloadAction<{ position: number }>): PlayerState =>
    state.at === "closed" ? state : { at, view: state.view };

export const player = createSlice({
  name: "player",
  initialState: { at: "closed" } as PlayerState,
  reducers: {
    opened: (_, { payload }: PayloadAction<Playable>): PlayerState => ({ at: "loading", view: payload }),
    /** The video's own first frame, not the preroll's. */
    firstFrameShown: to("playing"),
    played: to("playing"),
    paused: to("paused"),
    stalled: to("stalled"),
    seeked: (state, _: PayloadAction<{ position: number; from: number }>) => state,
    ended: to("ended"),
    failed: (state, { payload: { code } }: PayloadAction<{ code: string }>): PlayerState =>
      state.at === "closed" ? state : { at: "failed", view: state.view, code },
    /** Input of the meter: playback quality. */
    reported: (state, _: PayloadAction<ViewingReport>) => state,
    closed: (): PlayerState => ({ at: "closed" }),
    /** Input of the app: the page is hidden or unloaded, perhaps permanently. Playback may continue. */
    pageLeft: (state) => state,
  },
  // A reloaded page has no player yet.
  extraReducers: (builder) => builder.addCase(startupActions.began, (): PlayerState => ({ at: "closed" })),
});

export const playerActions = player.actions;

export const selectPlayer = ({ player: state }: RootState): PlayerState => state;
