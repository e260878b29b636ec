import type { AudioTrack } from "./audioTracks";
import { playerSettings } from "./channelSettings";
import type { Fault } from "./faults";
import { attachHls } from "./hlsStream";
import { hlsLibrary } from "./library";
import type { Pictures } from "./pictures";
import { attachFile } from "./plainStream";

export interface Quality {
  readonly index: number;
  /** Height in lines: 360, 720. */
  readonly height: number;
  /** Maximum bits per second, according to the playlist. */
  readonly bitrate: number;
}

/** The current window of a live playlist. Positions are the video element's, in seconds. */
export interface LiveWindow {
  /** The oldest seekable second, where the segment with this number starts. */
  readonly start: number;
  readonly segment: number;
  /** The position to play at the live edge. */
  readonly edge: number;
  /** The newest second. */
  readonly end: number;
  /** Age of the playlist in seconds. */
  readonly age: number;
}

/** A position in a live stream, independent of the timeline. */
export interface LivePosition {
  /** The number of its segment (RFC 8216, 4.3.3.2). */
  readonly segment: number;
  /** Seconds from the segment's start. */
  readonly into: number;
}

/** A stream attached to a video element. */
export interface Attachment {
  /** Available qualities; empty if only the browser chooses. */
  qualities(): readonly Quality[];
  /** -1 selects automatically. */
  chooseQuality(index: number): void;
  /** Plays the audio track with this index. */
  chooseAudio(index: number): void;
  /** Null for a recording, and where only the browser knows. */
  live(): LiveWindow | null;
  /** The live position at a time of the timeline; null if unknown. */
  positionOf(time: number): LivePosition | null;
  /** The timeline position of a live position, or the nearest one; null if unknown. */
  timeOf(place: LivePosition): number | null;
  /** Whether no request was made for longer than a running stream pauses. */
  isQuiet(): boolean;
  /** Loads missing parts from the current position; if there is none yet, from `begins`, or else from the live edge. */
  resume(begins: number | null): void;
  /** Resets the decoder and continues at `time`. */
  mend(time: number): void;
  /** Switches later requests to this address of the same stream. */
  renew(url: string): void;
  /** Preview pictures on a separate video element; null if the stream has none. */
  pictures(video: HTMLVideoElement): Pictures | null;
  detach(): void;
}

export interface AttachHandlers {
  /** Loading has stopped until `resume`, `mend` or another attachment. */
  onFault(fault: Fault): void;
  /** A part of the stream was loaded and buffered. */
  onLoaded(): void;
  /** The library moved the position of a live stream that fell out of its window; `from` is the old one, in seconds. */
  onJumped(from: number): void;
  /** Returns the playlist for the library, with the start of a reloaded live stream. */
  dressed(playlist: string): string;
  /**
   * A live stream's encoder restarted, or its playlist moved past everything known: this attachment loads nothing more.
   */
  onRestart(): void;
  onQualities(): void;
  /** Called when the available audio tracks change. Returns the index of the one to play; -1 for any. */
  onAudioTracks(tracks: readonly AudioTrack[]): number;
  /** The quality changed, by the player or the viewer. */
  onQuality(quality: Quality): void;
}

const HLS_TYPE = "application/vnd.apple.mpegurl";

function isPlaylist(url: string): boolean {
  return /\.m3u8(?:$|[?#])/.test(url);
}

/**
 * Attaches a stream to a video element, starting at `startAt` seconds; a negative value is a recording's start or a
 * live stream's edge. hls.js is fetched for the first playlist and preferred over native HLS, which Chromium claims to
 * support but plays worse. `isReload`: the browser's cache of it may be broken. Rejects if hls.js can't be fetched.
 */
export async function attach(
  video: HTMLVideoElement,
  url: string,
  startAt: number,
  isReload: boolean,
  handlers: AttachHandlers,
): Promise<Attachment> {
  if (!isPlaylist(url)) return attachFile(video, url, startAt, handlers);
  const [Library, settings] = await Promise.all([hlsLibrary(), playerSettings()]);
  if (!Library.isSupported() && video.canPlayType(HLS_TYPE) !== "") return attachFile(video, url, startAt, handlers);
  return attachHls(Library, video, url, startAt, isReload, handlers, settings);
}
