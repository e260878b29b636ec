/** A playlist may come back from an earlier copy by this many segments; farther back its encoder began anew. */
const GOES_BACK = 2;

/** The number behind the last segment of a media playlist (RFC 8216, 4.3.3.2); null for a playlist of playlists. */
function endOf(text: string): number | null {
  if (/^#EXT-X-STREAM-INF/m.test(text)) return null;
  const first = Number(/^#EXT-X-MEDIA-SEQUENCE:\s*(\d+)/m.exec(text)?.[1] ?? 0);
  const skipped = Number(/^#EXT-X-SKIP:.*SKIPPED-SEGMENTS=(\d+)/m.exec(text)?.[1] ?? 0);
  return first + skipped + (text.match(/^#EXTINF/gm)?.length ?? 0);
}

/** What a live stream's playlists say of the life of its encoder. */
export interface Lives {
  /** Whether a playlist is of the same life as the ones before it; `name` is one name a playlist. */
  isOfThisLife(name: string, text: string): boolean;
}

/**
 * LIVE-7. An encoder that begins anew counts its segments from the start again: what a library has read before says nothing of
 * what is there now, not even under the same names.
 */
export function livesOf(): Lives {
  const ends = new Map<string, number>();
  return {
    isOfThisLife(name, text) {
      const end = endOf(text);
      if (end === null) return true;
      const last = ends.get(name) ?? 0;
      if (end + GOES_BACK < last) return false;
      ends.set(name, Math.max(end, last));
      return true;
    },
  };
}
