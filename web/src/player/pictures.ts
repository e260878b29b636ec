import type Hls from "hls.js";
import type { HlsIFramesOnly } from "hls.js";

/** Pictures of a stream for whoever seeks. */
export interface Pictures {
  /** Shows the picture at this second, or the one before it. */
  show(time: number): void;
  close(): void;
}

/** The key frames that `hls` knows of, on a video element of their own; null where the stream names none. */
export function keyFramesOf(Library: typeof Hls, hls: Hls, video: HTMLVideoElement): Pictures | null {
  let player: HlsIFramesOnly | null = null;
  const open = (): HlsIFramesOnly | null => {
    // A key frame is the beginning of a segment: the loader that sees whether one came whole would refuse it.
    const opened = hls.createIFramePlayer({ loader: Library.DefaultConfig.loader });
    opened?.on(Library.Events.ERROR, (_, { fatal }) => {
      if (!fatal) return;
      // Nothing waits for a picture: the next one that is asked for tries again.
      opened.destroy();
      if (player === opened) player = null;
    });
    opened?.attachMedia(video);
    return opened;
  };
  if (hls.iframeVariants.length === 0) return null;
  return {
    show(time) {
      player ??= open();
      player?.loadMediaAt(time);
    },
    close() {
      player?.destroy();
      player = null;
    },
  };
}
