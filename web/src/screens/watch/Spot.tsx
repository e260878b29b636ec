import { useEffect, useRef } from "react";
import type { PlayerEvent } from "../../player/playback";
import VideoPlayer from "../../player/VideoPlayer";
import { selectSettings } from "../../slices/catalogue";
import { prerollActions, type SpotQuarter, spotQuarterReached } from "../../slices/preroll";
import { useAppDispatch, useAppSelector } from "../state";

/** A spot that stalls for this long is skipped, in milliseconds. */
const STALL_LIMIT_MS = 4_000;
const QUARTERS: readonly SpotQuarter[] = [25, 50, 75];

/** The spot before the video (PRE). The video follows even if the spot fails. */
export function Spot({ url, onQuarter }: { readonly url: string; readonly onQuarter: (quarter: number) => void }) {
  const dispatch = useAppDispatch();
  const skipAfter = useAppSelector(selectSettings)?.preroll_skip_after_s ?? null;
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const reached = useRef(0);
  useEffect(() => () => clearTimeout(waiting.current), []);
  const giveUp = (code: string) => dispatch(prerollActions.ended({ how: "broken", code }));
  const reach = (share: number) => {
    onQuarter(Math.floor(4 * share) * 25);
    for (const quarter of QUARTERS)
      if (quarter <= share * 100 && quarter > reached.current) {
        reached.current = quarter;
        dispatch(spotQuarterReached({ quarter }));
      }
  };
  const onEvent = (event: PlayerEvent) => {
    switch (event.kind) {
      case "firstFrame":
        onQuarter(0);
        dispatch(prerollActions.firstFrameShown());
        break;
      case "progressed":
        if (event.duration > 0) reach(Math.min(1, event.time / event.duration));
        break;
      case "ended":
        reach(1);
        dispatch(prerollActions.ended({ how: "played" }));
        break;
      // The video doesn't wait for a spot that fails or loads too slowly.
      case "faulted":
        giveUp(event.status === null ? event.cause : `${event.cause}_${event.status}`);
        break;
      case "failed":
        giveUp("stalled");
        break;
      case "stalled":
        waiting.current = setTimeout(() => giveUp("stalled"), STALL_LIMIT_MS);
        break;
      case "stallEnded":
        clearTimeout(waiting.current);
        break;
      default:
    }
  };
  // Progress is reported once per second: a quarter may have been reached since.
  const onSkip = (share: number) => {
    reach(share);
    dispatch(prerollActions.ended({ how: "skipped" }));
  };
  return <VideoPlayer key={url} url={url} spot={{ skipAfter, onSkip }} onEvent={onEvent} />;
}
