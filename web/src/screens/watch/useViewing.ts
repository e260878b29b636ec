import { useCallback, useEffect, useRef } from "react";
import type { PlayerEvent } from "../../player/playback";
import { createViewingMeter, type ViewingMeter } from "../../player/viewingMeter";
import { type Playable, playerActions } from "../../slices/player";
import { useAppDispatch } from "../state";
import { usePlayerFacts } from "./usePlayerFacts";

/** Interval between quality reports during playback, in milliseconds: a killed tab loses no more. */
const REPORT_INTERVAL_MS = 30_000;

/** When a video was requested, and what preceded it. */
export interface ViewingStart {
  /** Time of the viewer's press, by `performance.now()`. */
  readonly pressedAt: number;
  /** Displayed share of the preceding spot in percent, a multiple of 25; null if there was none. */
  readonly spot: number | null;
}

/** Reports one viewing to the store, from opening to close, with its quality (QOE-1). Null: nothing is playing yet. */
export function useViewing(view: Playable | null, start: ViewingStart): (event: PlayerEvent) => void {
  const dispatch = useAppDispatch();
  const report = usePlayerFacts();
  const meter = useRef<ViewingMeter | null>(null);
  const latestStart = useRef(start);
  useEffect(() => {
    latestStart.current = start;
  });
  const { kind, id, stream_id, stream_type } = view ?? {};

  useEffect(() => {
    if (kind === undefined || id === undefined || stream_id === undefined || stream_type === undefined) return;
    dispatch(playerActions.opened({ kind, id, stream_id, stream_type }));
    const { pressedAt, spot } = latestStart.current;
    const measured = createViewingMeter({
      clock: () => performance.now(),
      // Watching a spot doesn't count as waiting.
      pressedAt: spot === null ? pressedAt : performance.now(),
      spot,
      report: (report) => dispatch(playerActions.reported(report)),
    });
    meter.current = measured;
    const timer = setInterval(() => measured.tick(), REPORT_INTERVAL_MS);
    const leave = () => measured.leave();
    // In the capture phase, before the page's own listener sends what this one recorded.
    addEventListener("pagehide", leave, true);
    return () => {
      removeEventListener("pagehide", leave, true);
      clearInterval(timer);
      measured.leave();
      meter.current = null;
      dispatch(playerActions.closed());
    };
  }, [dispatch, kind, id, stream_id, stream_type]);

  return useCallback(
    (event) => {
      report(event);
      meter.current?.take(event);
    },
    [report],
  );
}
