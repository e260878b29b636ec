import type { Quality } from "./attach";

/** How far a video has come, as its controls show it. Lengths and positions in seconds. */
export interface Playback {
  readonly at: "idle" | "loading" | "playing" | "paused" | "ended" | "failed";
  /** Nothing more to show for the moment. */
  readonly buffering: boolean;
  readonly time: number;
  /** The end of what can be sought: the length of a recording, the live edge of a live stream. */
  readonly end: number;
  /** The start of what can be sought; moves on a live stream. */
  readonly start: number;
  readonly volume: number;
  readonly muted: boolean;
  readonly qualities: readonly Quality[];
  /** -1: the player chooses. */
  readonly quality: number;
  readonly captions: "none" | "off" | "on";
  readonly retryable: boolean;
}

export const IDLE: Playback = {
  at: "idle",
  buffering: false,
  time: 0,
  end: 0,
  start: 0,
  volume: 1,
  muted: false,
  qualities: [],
  quality: -1,
  captions: "none",
  retryable: true,
};

/** Farther than this behind the edge is "behind live": a live player always keeps some seconds in hand. */
export const LIVE_SLACK = 12;

/** Seconds behind the live edge; 0 while within the slack. */
export function behindLive({ time, end }: Playback): number {
  const behind = end - time;
  return behind > LIVE_SLACK ? Math.round(behind) : 0;
}

/** What happened in a player, for whoever records viewing. Positions in seconds. */
export type PlayerEvent =
  | { readonly kind: "firstFrame"; readonly time: number }
  | { readonly kind: "played"; readonly time: number }
  | { readonly kind: "paused"; readonly time: number }
  | { readonly kind: "ended"; readonly time: number }
  /** Nothing more to show for the moment. */
  | { readonly kind: "stalled"; readonly time: number }
  | { readonly kind: "seeked"; readonly time: number; readonly from: number }
  /** Told once a second at most while the picture moves. */
  | { readonly kind: "progressed"; readonly time: number; readonly duration: number }
  /** `status` is what the server answered, null when it did not. */
  | { readonly kind: "failed"; readonly time: number; readonly status: number | null };
