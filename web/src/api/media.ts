import type { Protected } from "../ports/media";
import type { Transport } from "./transport";

interface Playback {
  readonly playback_url: string;
  readonly expires?: number;
}

/** Addresses of protected media, directly from the channel. They bypass the sagas so that none is recorded. */
export interface Media {
  address(request: Protected): Promise<{ readonly url: string; readonly expires: number | null }>;
}

const pathOf = (request: Protected): string =>
  request.kind === "event"
    ? `/events/${request.id}/playback/${request.media_id}`
    : `/vod-media-items/${request.id}/playback`;

const isPlayback = (data: unknown): data is Playback =>
  typeof (data as { playback_url?: unknown } | null)?.playback_url === "string";

export function createMedia(transport: Pick<Transport, "send">): Media {
  return {
    async address(request) {
      const { data } = await transport.send({ method: "GET", path: pathOf(request), fits: isPlayback });
      const { playback_url: url, expires } = data as Playback;
      return { url, expires: expires === undefined ? null : expires * 1_000 };
    },
  };
}
