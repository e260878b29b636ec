import type { LivePosition } from "./attach";

/** The position in a live stream before a reload, independent of the timeline. */
export interface LastPosition {
  /** Null if the stream restarted its numbering, or moved past everything known. */
  readonly position: LivePosition | null;
  /** Seconds behind the stream's newest second. */
  readonly behind: number;
  /** Time of the observation, in Unix milliseconds. */
  readonly at: number;
}

/** Minimum distance from the oldest available second, which would expire at once, in seconds. */
export const INSIDE = 0.5;

/** Seconds behind the newest second at `now` (Unix milliseconds), for a viewer without a known position. */
export const behindNow = ({ behind, at }: LastPosition, now: number): number => behind + (now - at) / 1_000;

/**
 * Adds a start position to a live media playlist, which a library reads before it loads the first segment (RFC 8216,
 * 4.3.5.2). Master playlists and finished playlists are returned unchanged.
 */
export function beginningAt(playlist: string, stood: LastPosition, now: number): string {
  if (/^#EXT-X-(?:STREAM-INF|ENDLIST)/m.test(playlist)) return playlist;
  const first = Number(/^#EXT-X-MEDIA-SEQUENCE:\s*(\d+)/m.exec(playlist)?.[1] ?? 0);
  const lengths = Array.from(playlist.matchAll(/^#EXTINF:\s*([\d.]+)/gm), ([, length]) => Number(length));
  const secondsOf = (count: number) => lengths.slice(0, Math.max(0, count)).reduce((sum, length) => sum + length, 0);
  const end = secondsOf(lengths.length);
  const { position: place } = stood;
  const time = place ? secondsOf(place.segment - first) + place.into : end - behindNow(stood, now);
  const isPast = place !== null && place.segment < first;
  const start = Math.min(end, Math.max(INSIDE, isPast ? 0 : time));
  const others = playlist.replace(/^#EXT-X-START:.*$\n?/gm, "");
  return others.replace(/^#EXTM3U.*$/m, (line) => `${line}\n#EXT-X-START:TIME-OFFSET=${start.toFixed(3)}`);
}
