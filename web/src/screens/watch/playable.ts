import type { Event } from "../../contracts/resources";
import { MEDIA } from "../eventViews";

/** The media of an event that can be played now. */
export interface PlayableMedia {
  readonly mediaId: number;
  /** Where it is, when everyone may know; null where the `media` port gives an address. */
  readonly url: string | null;
  readonly kind: "live" | "vod" | "embedded";
  /** Seconds; 0 for a live stream. */
  readonly duration: number;
}

/** What plays: the live stream while it is live, the recording afterwards, another site's player where there is no other. */
export function playableOf(event: Event): PlayableMedia | null {
  const find = (type: number) => event.media.find((media) => media.type === type && (media.url || media.is_protected));
  const wanted =
    event.stream_status === "live"
      ? find(MEDIA.live)
      : event.stream_status === "finished"
        ? find(MEDIA.vod)
        : undefined;
  const embedded = event.stream_status === "upcoming" ? undefined : find(MEDIA.embedded);
  const media = wanted ?? embedded;
  if (!media) return null;
  const kind = media === embedded ? "embedded" : event.stream_status === "live" ? "live" : "vod";
  return { mediaId: media.id, url: media.url ?? null, kind, duration: media.duration_s };
}

/** The event's preview, which everyone may watch. */
export function previewOf(event: Event): { readonly url: string; readonly duration: number } | null {
  const media =
    event.media.find(({ type, url }) => type === MEDIA.preview && url) ??
    event.media.find(({ type, url }) => type === MEDIA.previewAlt && url);
  return media?.url ? { url: media.url, duration: media.duration_s } : null;
}

/** A still of the video, to be shown before it plays. */
export function stillOf(event: Event): string | null {
  return event.media.find(({ type, url }) => type === MEDIA.thumbnails && url)?.url ?? null;
}
