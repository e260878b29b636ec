import type { Quality } from "./attach";
import type { Fault } from "./faults";
import type { Missing } from "./recovery";

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
  /** The number of the live stream's segment that begins there; null for a recording. */
  readonly segment: number | null;
  readonly volume: number;
  readonly muted: boolean;
  /** The speed that the viewer chose. */
  readonly rate: number;
  readonly qualities: readonly Quality[];
  /** -1: the player chooses. */
  readonly quality: number;
  /** The browser let it begin without sound alone, and the viewer has not asked for the sound yet. */
  readonly silenced: boolean;
  /** Seconds behind the live edge; 0 at it, and for a recording. */
  readonly behind: number;
  /** What the player waits for while its stream does not come; Unix milliseconds. */
  readonly waiting: { readonly missing: Missing; readonly since: number } | null;
}

export const IDLE: Playback = {
  at: "idle",
  buffering: false,
  time: 0,
  end: 0,
  start: 0,
  segment: null,
  volume: 1,
  muted: false,
  rate: 1,
  qualities: [],
  quality: -1,
  silenced: false,
  behind: 0,
  waiting: null,
};

/**
 * What happened in a player. Everything that records or measures viewing is told by these, in this order of time.
 * Positions in seconds of the video.
 */
export type PlayerEvent =
  /** The player was put on the page: nothing is there to see yet. */
  | { readonly kind: "opened"; readonly time: number; readonly host: string }
  | { readonly kind: "firstFrame"; readonly time: number }
  | { readonly kind: "played"; readonly time: number }
  | { readonly kind: "paused"; readonly time: number }
  | { readonly kind: "ended"; readonly time: number }
  /** Nothing more to show for the moment: none of the viewer's pauses, none of their seeks. */
  | { readonly kind: "stalled"; readonly time: number }
  /** The picture moves again after that. */
  | { readonly kind: "stallEnded"; readonly time: number }
  | { readonly kind: "seeked"; readonly time: number; readonly from: number }
  /** Told once a second at most while the picture moves; `dropped` frames so far, `behind` the live edge in seconds. */
  | {
      readonly kind: "progressed";
      readonly time: number;
      readonly duration: number;
      readonly dropped: number | null;
      readonly behind: number | null;
    }
  | { readonly kind: "qualityChanged"; readonly time: number; readonly height: number; readonly bitrate: number }
  /** A part did not come, or could not be shown; the player goes on by itself. */
  | { readonly kind: "faulted"; readonly time: number; readonly cause: Fault["cause"]; readonly status: number | null }
  /** The viewer may not watch, or has waited for a minute. `status` is what the server answered, null when it did not. */
  | { readonly kind: "failed"; readonly time: number; readonly status: number | null };
