import type { Event, PictureFacts } from "../../contracts/resources";
import { MEDIA } from "../eventViews";

/** The media of an event that can be played now. */
export interface PlayableMedia {
  readonly mediaId: number;
  /** The public address; null if the `media` port provides one. */
  readonly url: string | null;
  readonly kind: "live" | "vod" | "embedded";
  /** Whether clips can be cut from it, and who may download it as a file (CLIP-4, MEDIA-3). */
  readonly isClippable: boolean;
  readonly isDownloadable: boolean;
  /** Seconds; 0 for a live stream. */
  readonly duration: number;
}

/** The media to play: the live stream while live, then the recording, otherwise another site's player. */
export function playableOf(event: Event): PlayableMedia | null {
  const find = (type: number) => event.media.find((media) => media.type === type && (media.url || media.is_protected));
  const hosted =
    event.stream_status === "live"
      ? find(MEDIA.live)
      : event.stream_status === "finished"
        ? find(MEDIA.vod)
        : undefined;
  const embedded = event.stream_status === "upcoming" ? undefined : find(MEDIA.embedded);
  const media = hosted ?? embedded;
  if (!media) return null;
  const kind = media === embedded ? "embedded" : event.stream_status === "live" ? "live" : "vod";
  return {
    mediaId: media.id,
    url: media.url ?? null,
    kind,
    isClippable: media.is_clippable === true,
    isDownloadable: media.is_downloadable === true,
    duration: media.duration_s,
  };
}

interface Preview {
  readonly url: string;
  readonly duration: number;
  /** Another site's player. */
  readonly isEmbedded: boolean;
}

/** The event's public preview: its own, the alternative one, or another site's (EVENT-3). */
export function previewOf(event: Event): Preview | null {
  const media =
    event.media.find(({ type, url }) => type === MEDIA.preview && url) ??
    event.media.find(({ type, url }) => type === MEDIA.previewAlt && url) ??
    event.media.find(({ type, url }) => type === MEDIA.embeddedPreview && url);
  if (!media?.url) return null;
  return { url: media.url, duration: media.duration_s, isEmbedded: media.type === MEDIA.embeddedPreview };
}

/** A still of the video, shown before it plays. */
export function posterOf(event: Event): { readonly url: string; readonly facts: PictureFacts | undefined } | null {
  const still = event.media.find(({ type, url }) => type === MEDIA.thumbnails && url);
  return still?.url ? { url: still.url, facts: still.picture } : null;
}
