import type { Quality } from "./attach";
import type { AudioTrack } from "./audioTracks";
import type { Fault } from "./faults";
import type { Missing } from "./recovery";

/** Playback state for the controls. Durations and positions in seconds. */
export interface Playback {
  readonly at: "idle" | "loading" | "playing" | "paused" | "ended" | "failed";
  /** Playback has stalled. */
  readonly buffering: boolean;
  readonly time: number;
  /** The end of the seekable range: a recording's duration, or the live edge. */
  readonly end: number;
  /** The start of the seekable range, which moves in a live stream. */
  readonly start: number;
  /** The number of the live segment that starts there; null for a recording. */
  readonly segment: number | null;
  readonly volume: number;
  readonly muted: boolean;
  /** The viewer's speed. */
  readonly rate: number;
  readonly qualities: readonly Quality[];
  /** -1 for automatic. */
  readonly quality: number;
  readonly audioTracks: readonly AudioTrack[];
  /** Index of the audio track that plays; -1 if unknown. */
  readonly audioTrack: number;
  /** The browser only allowed muted autoplay, and the viewer hasn't turned the sound on yet. */
  readonly silenced: boolean;
  /** Seconds behind the live edge; 0 at the edge and for a recording. */
  readonly behind: number;
  /** The resource the player is waiting for; `since` is in Unix milliseconds. */
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
  audioTracks: [],
  audioTrack: -1,
  silenced: false,
  behind: 0,
  waiting: null,
};

/** Player events, in order, for everything that records or measures viewing. Positions in seconds of the video. */
export type PlayerEvent =
  /** The player was added to the page; nothing has loaded yet. */
  | { readonly kind: "opened"; readonly time: number; readonly host: string }
  | { readonly kind: "firstFrame"; readonly time: number }
  | { readonly kind: "played"; readonly time: number }
  | { readonly kind: "paused"; readonly time: number }
  | { readonly kind: "ended"; readonly time: number }
  /** Playback stalled, not because of a pause or a seek. */
  | { readonly kind: "stalled"; readonly time: number }
  /** Playback resumed after a stall. */
  | { readonly kind: "stallEnded"; readonly time: number }
  | { readonly kind: "seeked"; readonly time: number; readonly from: number }
  /** At most once per second during playback. `dropped`: frames so far; `behind`: seconds behind the live edge. */
  | {
      readonly kind: "progressed";
      readonly time: number;
      readonly duration: number;
      readonly dropped: number | null;
      readonly behind: number | null;
    }
  | { readonly kind: "qualityChanged"; readonly time: number; readonly height: number; readonly bitrate: number }
  /** A part failed to load or play; the player recovers automatically. */
  | { readonly kind: "faulted"; readonly time: number; readonly cause: Fault["cause"]; readonly status: number | null }
  /**
   * Access was refused, or a minute passed without success. `status`: the server's response, null if there was none.
   */
  | { readonly kind: "failed"; readonly time: number; readonly status: number | null };
