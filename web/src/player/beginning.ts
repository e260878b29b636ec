import type { LivePlace } from "./attach";

/** Where a viewer stood in a live stream that is loaded anew, on a timeline of its own. */
export interface Stood {
  /** null: the stream counts anew, or has gone on past all that is known. */
  readonly place: LivePlace | null;
  /** Seconds before the stream's newest. */
  readonly behind: number;
  /** When that was, Unix milliseconds. */
  readonly at: number;
}

/** Nearer to the oldest second that is left than this, it would be gone at once, seconds. */
export const INSIDE = 0.5;

/** Seconds before the stream's newest at `now`, Unix milliseconds, for whom no place is known. */
export const behindNow = ({ behind, at }: Stood, now: number): number => behind + (now - at) / 1_000;

/**
 * A live media playlist with where to begin in it, as a library reads it before it asks for the first segment (RFC 8216,
 * 4.3.5.2). A playlist of playlists, and one that ends, stay as they are.
 */
export function beginningAt(playlist: string, stood: Stood, now: number): string {
  if (/^#EXT-X-(?:STREAM-INF|ENDLIST)/m.test(playlist)) return playlist;
  const first = Number(/^#EXT-X-MEDIA-SEQUENCE:\s*(\d+)/m.exec(playlist)?.[1] ?? 0);
  const lengths = Array.from(playlist.matchAll(/^#EXTINF:\s*([\d.]+)/gm), ([, length]) => Number(length));
  const secondsOf = (count: number) => lengths.slice(0, Math.max(0, count)).reduce((sum, length) => sum + length, 0);
  const end = secondsOf(lengths.length);
  const { place } = stood;
  const time = place ? secondsOf(place.segment - first) + place.into : end - behindNow(stood, now);
  const isPast = place !== null && place.segment < first;
  const start = Math.min(end, Math.max(INSIDE, isPast ? 0 : time));
  const others = playlist.replace(/^#EXT-X-START:.*$\n?/gm, "");
  return others.replace(/^#EXTM3U.*$/m, (line) => `${line}\n#EXT-X-START:TIME-OFFSET=${start.toFixed(3)}`);
}
