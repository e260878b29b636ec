import type Hls from "hls.js";
import type { HlsIFramesOnly } from "hls.js";

/** Pictures of a stream for whoever seeks. */
export interface Pictures {
  /** Shows the picture at this second, or the one before it. */
  show(time: number): void;
  close(): void;
}

/** A picture that has not come by then is asked for anew, by another player; each time twice as long later, milliseconds. */
const PATIENCE = 3_000;
const LONGEST_PATIENCE = 24_000;
/** After a fault it is asked for anew this soon, milliseconds. */
const AFTER_FAULT = 500;

/** The key frames that `hls` knows of, on a video element of their own; null where the stream names none. */
export function keyFramesOf(Library: typeof Hls, hls: Hls, video: HTMLVideoElement): Pictures | null {
  let player: HlsIFramesOnly | null = null;
  let wanted = 0;
  let patience = PATIENCE;
  let again: ReturnType<typeof setTimeout> | undefined;
  const wait = (time: number): void => {
    clearTimeout(again);
    again = setTimeout(ask, time);
  };
  const close = (): void => {
    clearTimeout(again);
    player?.destroy();
    player = null;
  };
  const open = (): HlsIFramesOnly | null => {
    // A key frame is the beginning of a segment: the loader that sees whether one came whole would refuse it.
    const opened = hls.createIFramePlayer({ loader: Library.DefaultConfig.loader });
    opened?.on(Library.Events.ERROR, (_, { fatal }) => {
      if (fatal && player === opened) wait(AFTER_FAULT);
    });
    opened?.attachMedia(video);
    return opened;
  };
  const load = (): void => {
    wait(patience);
    player ??= open();
    player?.loadMediaAt(wanted);
  };
  const ask = (): void => {
    close();
    patience = Math.min(LONGEST_PATIENCE, 2 * patience);
    load();
  };
  // The library seeks to a picture once it is there.
  const onShown = (): void => {
    clearTimeout(again);
    patience = PATIENCE;
  };
  if (hls.iframeVariants.length === 0) return null;
  video.addEventListener("seeked", onShown);
  return {
    show(time) {
      wanted = time;
      load();
    },
    close() {
      video.removeEventListener("seeked", onShown);
      close();
    },
  };
}
