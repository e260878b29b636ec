import type Hls from "hls.js";
import type { HlsConfig, MediaFragment } from "hls.js";

/** What the library's controller of gaps has of its own, as far as it is asked here (hls.js 1.7.4). */
interface GapController {
  readonly hls: Hls | null;
  readonly media: HTMLMediaElement | null;
  readonly fragmentTracker: { getBufferedFrag(time: number, type: string): unknown } | null;
  _trySkipBufferHole(appended: unknown): number;
}

const isMissing = ({ fragmentTracker }: GapController, { gap, start, duration, type }: MediaFragment): boolean =>
  !gap && fragmentTracker?.getBufferedFrag(start + duration / 2, type) === null;

/** Whether a segment that a recording's playlist names, and that has not come, is missing from where it stands on. */
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
 * MEDIA-6. hls.js jumps over a segment that has not come where the one before it is as long and a later one is loaded: it
 * counts the one before twice. After an outage it comes, and the
 * viewer of a recording has missed nothing; a live stream goes on with what is newer.
 */
export function awaitingGaps(Library: typeof Hls): NonNullable<HlsConfig["gapController"]> {
  const Own = Library.DefaultConfig.gapController as unknown as new (...of: readonly unknown[]) => GapController;
  return class extends Own {
    override _trySkipBufferHole(appended: unknown): number {
      return isAwaited(this) ? 0 : super._trySkipBufferHole(appended);
    }
  } as unknown as NonNullable<HlsConfig["gapController"]>;
}
