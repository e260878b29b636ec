import { useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { useChannelClock } from "../../components/basic/now";
import type { Id, PlaybackPosition } from "../../contracts/resources";
import type { PlayerEvent } from "../../player/playback";
import { positionsActions, resumeAt, selectPositions, subjectOf } from "../../slices/positions";
import { useAppDispatch, useAppSelector } from "../state";

/** Interval between stored positions during playback, in seconds. */
const SAVE_INTERVAL_S = 10;

/** Parses a link's start time: `83`, `1:23`, `1:06:52`; null if it is invalid. */
export function momentOf(text: string | null): number | null {
  if (text === null || !/^\d{1,6}(?::[0-5]?\d){0,2}$/.test(text)) return null;
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

/**
 * The position to resume a recording at, in seconds, and a callback that stores it. With `subject` null nothing is
 * stored.
 */
export function usePosition(
  subject: { readonly kind: PlaybackPosition["kind"]; readonly id: Id } | null,
): readonly [startAt: number, tell: (event: PlayerEvent) => void] {
  const dispatch = useAppDispatch();
  const now = useChannelClock();
  const positions = useAppSelector(selectPositions);
  const [search] = useSearchParams();
  const [startAt] = useState(() => {
    if (!subject) return 0;
    return momentOf(search.get("t")) ?? resumeAt(positions[subjectOf(subject)]) / 1_000;
  });
  const latest = useRef({ time: 0, duration: 0, noted: -1 });
  const { kind, id } = subject ?? {};

  const note = useCallback(
    (time: number) => {
      const { duration, noted } = latest.current;
      if (kind === undefined || id === undefined || duration <= 0 || time === noted) return;
      latest.current.noted = time;
      const ms = (seconds: number) => Math.round(seconds * 1_000);
      dispatch(
        positionsActions.noted({ kind, id, position_ms: ms(time), duration_ms: ms(duration), at: Math.round(now()) }),
      );
    },
    [dispatch, now, kind, id],
  );

  useEffect(() => {
    const leave = () => note(latest.current.time);
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [note]);

  const onEvent = useCallback(
    (event: PlayerEvent) => {
      if (event.kind === "progressed") {
        const { noted } = latest.current;
        latest.current = { time: event.time, duration: event.duration, noted };
        if (Math.abs(event.time - noted) >= SAVE_INTERVAL_S) note(event.time);
      }
      // The viewer may leave after one of these events.
      if (event.kind === "paused" || event.kind === "ended" || event.kind === "seeked")
        latest.current.time = event.time;
      if (event.kind === "paused" || event.kind === "ended") note(event.time);
    },
    [note],
  );
  return [startAt, onEvent];
}
