import { playerSettings } from "./channelSettings";
import type { Fault } from "./faults";
import { attachHls } from "./hlsStream";
import { hlsLibrary } from "./library";
import type { Pictures } from "./pictures";
import { attachFile } from "./plainStream";

/** One quality of a stream. */
export interface Quality {
  readonly index: number;
  /** Lines: 360, 720. */
  readonly height: number;
  /** Bits a second at the most, as the playlist says. */
  readonly bitrate: number;
}

/** What a live stream's playlist says of now. Positions are the video element's, seconds. */
export interface LiveWindow {
  /** The oldest second that can be sought: there the segment of this number begins. */
  readonly start: number;
  readonly segment: number;
  /** Where a viewer at the live edge is to stand. */
  readonly edge: number;
  /** The newest second there is. */
  readonly end: number;
  /** How long ago the encoder told so, seconds. */
  readonly age: number;
}

/** A second of a live stream, whatever the timeline it is laid on. */
export interface LivePlace {
  /** The number of its segment (RFC 8216, 4.3.3.2). */
  readonly segment: number;
  /** Seconds from that segment's start. */
  readonly into: number;
}

/** A stream on a video element. */
export interface Attachment {
  /** The qualities to choose from; empty where the browser chooses alone. */
  qualities(): readonly Quality[];
  /** -1 lets the player choose. */
  chooseQuality(index: number): void;
  /** null for a recording, and where nobody but the browser knows. */
  live(): LiveWindow | null;
  /** Where a second of the timeline is in the live stream; null where nobody knows. */
  placeOf(time: number): LivePlace | null;
  /** Where a place of the live stream is on the timeline, or nearest to it; null where nobody knows. */
  timeOf(place: LivePlace): number | null;
  /** Nothing is asked for, for longer than a stream that runs pauses. */
  isQuiet(): boolean;
  /** Asks for what is missing, from where it stands; where it stands nowhere yet, from `begins`, else from the live edge. */
  resume(begins: number | null): void;
  /** Resets the decoder, and goes on at `time`. */
  mend(time: number): void;
  /** What is asked for from now on is asked for under this address, of the same stream. */
  renew(url: string): void;
  /** Pictures of it for whoever seeks, on a video element of their own; null where it has none. */
  pictures(video: HTMLVideoElement): Pictures | null;
  detach(): void;
}

export interface AttachHandlers {
  /** Nothing more comes until `resume`, `mend` or another attachment. */
  onFault(fault: Fault): void;
  /** A part of the stream came, and was taken. */
  onLoaded(): void;
  /** The library moved a live stream's position, which fell out of its window; `from` is where it was, seconds. */
  onJumped(from: number): void;
  /** A playlist as the library is to read it: with where a live stream that is loaded anew begins. */
  dressed(playlist: string): string;
  /** A live stream's encoder began anew, or went on past all that is known: nothing more comes of this attachment. */
  onBegunAnew(): void;
  onQualities(): void;
  /** The player or its viewer plays another quality from now on. */
  onQuality(quality: Quality): void;
}

const HLS_TYPE = "application/vnd.apple.mpegurl";

function isPlaylist(url: string): boolean {
  return /\.m3u8(?:$|[?#])/.test(url);
}

/**
 * Puts a stream on a video element, to begin at `startAt` seconds; negative: a recording's start, a live stream's edge.
 * hls.js is fetched when the first playlist is played, and is asked before the browser: Chromium says that it may play
 * HLS, and hls.js plays it better. `anew`: what the browser has stored of it may be broken. Rejects where hls.js cannot be fetched.
 */
export async function attach(
  video: HTMLVideoElement,
  url: string,
  startAt: number,
  anew: boolean,
  handlers: AttachHandlers,
): Promise<Attachment> {
  if (!isPlaylist(url)) return attachFile(video, url, startAt, handlers);
  const [Library, settings] = await Promise.all([hlsLibrary(), playerSettings()]);
  if (!Library.isSupported() && video.canPlayType(HLS_TYPE) !== "") return attachFile(video, url, startAt, handlers);
  return attachHls(Library, video, url, startAt, anew, handlers, settings);
}
