import { useCallback } from "react";
import type { PlayerEvent } from "../../player/playback";
import { playerActions } from "../../slices/player";
import { useAppDispatch } from "../state";

/** Reports player events to the store, from which viewing is measured (ANA). */
export function usePlayerFacts(): (event: PlayerEvent) => void {
  const dispatch = useAppDispatch();
  return useCallback(
    (event) => {
      const position = Math.round(event.time * 1_000) / 1_000;
      switch (event.kind) {
        case "firstFrame":
          dispatch(playerActions.firstFrameShown({ position }));
          return;
        case "played":
          dispatch(playerActions.played({ position }));
          return;
        case "paused":
          dispatch(playerActions.paused({ position }));
          return;
        case "stalled":
          dispatch(playerActions.stalled({ position }));
          return;
        case "seeked":
          dispatch(playerActions.seeked({ position, from: Math.round(event.from * 1_000) / 1_000 }));
          return;
        case "ended":
          dispatch(playerActions.ended({ position }));
          return;
        case "failed":
          dispatch(playerActions.failed({ code: event.status === null ? "media" : `http_${event.status}` }));
          return;
        case "opened":
        case "stallEnded":
        case "qualityChanged":
        case "faulted":
        case "progressed":
          return;
        default:
          event satisfies never;
      }
    },
    [dispatch],
  );
}
