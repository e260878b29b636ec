/** A playlist may come back from an earlier copy by this many segments; farther back its encoder began anew. */
const GOES_BACK = 2;

interface Span {
  /** The number of the first segment, and the one behind the last. */
  readonly first: number;
  readonly end: number;
  /** Seconds, at the most. */
  readonly length: number;
}

/** What a media playlist holds (RFC 8216, 4.3.3); null for a playlist of playlists. */
function spanOf(text: string): Span | null {
  if (/^#EXT-X-STREAM-INF/m.test(text)) return null;
  const number = (tag: RegExp): number => Number(tag.exec(text)?.[1] ?? 0);
  const first = number(/^#EXT-X-MEDIA-SEQUENCE:\s*(\d+)/m);
  const skipped = number(/^#EXT-X-SKIP:.*SKIPPED-SEGMENTS=(\d+)/m);
  const count = skipped + (text.match(/^#EXTINF/gm)?.length ?? 0);
  return { first, end: first + count, length: count * number(/^#EXT-X-TARGETDURATION:\s*(\d+)/m) };
}

/** Whether a live stream's playlists hang together. */
export interface Lives {
  /** Whether a playlist goes on from the ones before it. `kind` is the same for all qualities; `name` is one name a playlist. */
  goesOn(kind: string, name: string, text: string): boolean;
}

/**
 * LIVE-7. An encoder that begins anew counts its segments from the start again: what a library has read before says nothing of
 * what is there now, not even under the same names.
 *
 * MEDIA-6. After an outage that lasted longer than a playlist reaches, the next one has no segment in common with what was
 * read. hls.js lays the playlist of another quality anywhere then, and waits for good at a second that never comes. Qualities
 * that count apart have none in common either: their playlists come soon after each other.
 *
 * `now` is any clock, milliseconds.
 */
export function livesOf(now: () => number): Lives {
  const ends = new Map<string, number>();
  const newest = new Map<string, Span & { readonly readAt: number }>();
  return {
    goesOn(kind, name, text) {
      const span = spanOf(text);
      if (span === null) return true;
      const last = ends.get(name) ?? 0;
      if (span.end + GOES_BACK < last) return false;
      const before = newest.get(kind);
      if (before && span.first >= before.end && now() - before.readAt > before.length * 500) return false;
      ends.set(name, Math.max(span.end, last));
      newest.set(kind, { ...span, end: Math.max(span.end, before?.end ?? 0), readAt: now() });
      return true;
    },
  };
}
