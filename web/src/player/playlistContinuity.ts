/** A playlist may go back this many segments after a stale copy; more means that its encoder restarted. */
const MAX_ROLLBACK = 2;

interface Span {
  /** Numbers of the first segment, and of the one after the last. */
  readonly first: number;
  readonly end: number;
  /** Maximum duration in seconds. */
  readonly length: number;
}

/** The segments in a media playlist (RFC 8216, 4.3.3); null for a master playlist. */
function spanOf(text: string): Span | null {
  if (/^#EXT-X-STREAM-INF/m.test(text)) return null;
  const number = (tag: RegExp): number => Number(tag.exec(text)?.[1] ?? 0);
  const first = number(/^#EXT-X-MEDIA-SEQUENCE:\s*(\d+)/m);
  const skipped = number(/^#EXT-X-SKIP:.*SKIPPED-SEGMENTS=(\d+)/m);
  const count = skipped + (text.match(/^#EXTINF/gm)?.length ?? 0);
  return { first, end: first + count, length: count * number(/^#EXT-X-TARGETDURATION:\s*(\d+)/m) };
}

/** Checks the continuity of a live stream's playlists. */
export interface PlaylistContinuity {
  /**
   * Whether a playlist continues the previous ones. `kind` is shared by all qualities; `name` identifies a playlist.
   */
  continues(kind: string, name: string, text: string): boolean;
}

/**
 * LIVE-7. A restarted encoder numbers its segments from the start again: segments that a library has loaded say nothing
 * about current ones, even those with the same names. MEDIA-6. After an outage longer than a playlist, the next
 * playlist shares no segment with the last one. hls.js then places another quality's playlist at an arbitrary position
 * and waits forever. Qualities with separate numbering share no segment either, but their playlists arrive soon after
 * each other. `now` is any clock in milliseconds.
 */
export function createPlaylistContinuity(now: () => number): PlaylistContinuity {
  const ends = new Map<string, number>();
  const newest = new Map<string, Span & { readonly readAt: number }>();
  return {
    continues(kind, name, text) {
      const span = spanOf(text);
      if (span === null) return true;
      const last = ends.get(name) ?? 0;
      if (span.end + MAX_ROLLBACK < last) return false;
      const before = newest.get(kind);
      if (before && span.first >= before.end && now() - before.readAt > before.length * 500) return false;
      ends.set(name, Math.max(span.end, last));
      newest.set(kind, { ...span, end: Math.max(span.end, before?.end ?? 0), readAt: now() });
      return true;
    },
  };
}
