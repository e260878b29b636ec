import type Hls from "hls.js";
import type { HlsIFramesOnly } from "hls.js";

/** Preview pictures of a stream for seeking. */
export interface Pictures {
  /** Shows the picture at this second, or the last one before it. */
  show(time: number): void;
  close(): void;
}

/** Timeout before a picture is requested again by a new player, doubled each time, in milliseconds. */
const REQUEST_TIMEOUT_MS = 3_000;
const MAX_REQUEST_TIMEOUT_MS = 24_000;
/** Delay before the next request after a fault, in milliseconds. */
const RETRY_DELAY_MS = 500;

/** The stream's key frames on a separate video element; null if the stream has none. */
export function keyFramesOf(Library: typeof Hls, hls: Hls, video: HTMLVideoElement): Pictures | null {
  let player: HlsIFramesOnly | null = null;
  /** Whether the player has its video. If its playlist arrives before that, the library never requests a picture. */
  let isAttached = false;
  let wanted = 0;
  let patience = REQUEST_TIMEOUT_MS;
  let again: ReturnType<typeof setTimeout> | undefined;
  const wait = (time: number): void => {
    clearTimeout(again);
    again = setTimeout(retry, time);
  };
  const close = (): void => {
    clearTimeout(again);
    player?.destroy();
    player = null;
    isAttached = false;
  };
  const open = (): HlsIFramesOnly | null => {
    // A key frame is only the start of a segment, which the completeness check would reject.
    const opened = hls.createIFramePlayer({ loader: Library.DefaultConfig.loader });
    opened?.on(Library.Events.ERROR, (_, { fatal }) => {
      if (fatal && player === opened) wait(RETRY_DELAY_MS);
    });
    opened?.on(Library.Events.MEDIA_ATTACHED, () => {
      if (player !== opened) return;
      isAttached = true;
      opened.loadMediaAt(wanted);
    });
    opened?.attachMedia(video);
    return opened;
  };
  const load = (): void => {
    wait(patience);
    player ??= open();
    if (isAttached) player?.loadMediaAt(wanted);
  };
  const retry = (): void => {
    close();
    patience = Math.min(MAX_REQUEST_TIMEOUT_MS, 2 * patience);
    load();
  };
  // The library seeks to a picture once it is loaded.
  const onSeeked = (): void => {
    clearTimeout(again);
    patience = REQUEST_TIMEOUT_MS;
  };
  if (hls.iframeVariants.length === 0) return null;
  video.addEventListener("seeked", onSeeked);
  return {
    show(time) {
      wanted = time;
      load();
    },
    close() {
      video.removeEventListener("seeked", onSeeked);
      close();
    },
  };
}
