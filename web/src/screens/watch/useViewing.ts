import { useCallback, useEffect, useRef } from "react";
import type { PlayerEvent } from "../../player/playback";
import { createViewingMeter, type ViewingMeter } from "../../player/viewingMeter";
import { type Playable, playerActions } from "../../slices/player";
import { useAppDispatch } from "../state";
import { usePlayerFacts } from "./usePlayerFacts";

/** While it plays, how well is told this often, milliseconds: a tab that is killed loses no more. */
const TOLD_EVERY = 30_000;

/** When a video was asked for, and what came before it. */
export interface Asked {
  /** When the viewer pressed, milliseconds of `performance.now()`. */
  readonly pressedAt: number;
  /** How much of the spot before it was shown, in quarters of a hundred; null: there was none. */
  readonly spot: number | null;
}

/** Tells the store of one viewing, from its opening to its close, and how well it plays (QOE-1). Null: nothing plays yet. */
export function useViewing(view: Playable | null, asked: Asked): (event: PlayerEvent) => void {
  const dispatch = useAppDispatch();
  const tell = usePlayerFacts();
  const meter = useRef<ViewingMeter | null>(null);
  const begun = useRef(asked);
  useEffect(() => {
    begun.current = asked;
  });
  const { kind, id, stream_id, stream_type } = view ?? {};

  useEffect(() => {
    if (kind === undefined || id === undefined || stream_id === undefined || stream_type === undefined) return;
    dispatch(playerActions.opened({ kind, id, stream_id, stream_type }));
    const { pressedAt, spot } = begun.current;
    const measured = createViewingMeter({
      clock: () => performance.now(),
      // A spot is not waited for, it is watched.
      pressedAt: spot === null ? pressedAt : performance.now(),
      spot,
      report: (report) => dispatch(playerActions.reported(report)),
    });
    meter.current = measured;
    const timer = setInterval(() => measured.tick(), TOLD_EVERY);
    const leave = () => measured.leave();
    // In the capture phase: the page's own listener then sends off what this one recorded.
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
      tell(event);
      meter.current?.take(event);
    },
    [tell],
  );
}
