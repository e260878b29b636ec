import type Hls from "hls.js";
import type { HlsConfig, MediaFragment } from "hls.js";

/** The used internals of the library's gap controller (hls.js 1.7.4). */
interface GapController {
  readonly hls: Hls | null;
  readonly media: HTMLMediaElement | null;
  readonly fragmentTracker: { getBufferedFrag(time: number, type: string): unknown } | null;
  _trySkipBufferHole(appended: unknown): number;
}

const isMissing = ({ fragmentTracker }: GapController, { gap, start, duration, type }: MediaFragment): boolean =>
  !gap && fragmentTracker?.getBufferedFrag(start + duration / 2, type) === null;

/** Whether the next segment of a recording's playlist is still missing at the current position. */
function isAwaited(controller: GapController): boolean {
  const { hls, media } = controller;
  const details = hls?.latestLevelDetails;
  if (!details || details.live || !media) return false;
  const { buffered, currentTime } = media;
  const next = Array.from({ length: buffered.length }, (_, at) => buffered.start(at)).find((at) => at > currentTime);
  if (next === undefined) return false;
  const within = details.fragments.filter(({ start, duration }) => {
    const middle = start + duration / 2;
    return middle > currentTime && middle < next;
  });
  return within.some((segment) => isMissing(controller, segment));
}

/**
 * MEDIA-6. hls.js skips a missing segment if the previous one is as long and a later one is loaded, since it counts the
 * previous one twice. After an outage the segment arrives, so the viewer of a recording misses nothing; a live stream
 * continues with newer segments.
 */
export function awaitingGaps(Library: typeof Hls): NonNullable<HlsConfig["gapController"]> {
  const GapInternals = Library.DefaultConfig.gapController as unknown as new (
    ...of: readonly unknown[]
  ) => GapController;
  return class extends GapInternals {
    override _trySkipBufferHole(appended: unknown): number {
      return isAwaited(this) ? 0 : super._trySkipBufferHole(appended);
    }
  } as unknown as NonNullable<HlsConfig["gapController"]>;
}
