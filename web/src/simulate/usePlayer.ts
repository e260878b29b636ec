import { useEffect, useRef, useState } from "react";
import { type Axis, positionAt } from "./axis";

/** Playback speeds. */
export const SPEEDS = [1, 2, 4, 10, 25, 50, 100] as const;

export interface Player {
  readonly position: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  /** Goes to a position and stops there. */
  go(position: number): void;
  play(): void;
  pause(): void;
  setSpeed(speed: number): void;
}

/** Plays positions along a time axis; restarts for each `session`. */
export function usePlayer(session: object | null, axis: Axis): Player {
  const last = axis.at.length - 1;
  const [position, setPosition] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(4);
  const [previousSession, setPreviousSession] = useState(session);
  if (previousSession !== session) {
    setPreviousSession(session);
    setPosition(0);
    setPlaying(false);
  }
  // The time between two positions.
  const moment = useRef(0);

  useEffect(() => {
    if (!isPlaying) return;
    let lastFrameAt: number | null = null;
    let frame = requestAnimationFrame(function advance(now) {
      moment.current += lastFrameAt === null ? 0 : (now - lastFrameAt) * speed;
      lastFrameAt = now;
      const next = positionAt(axis, moment.current);
      setPosition(next);
      if (next >= last) setPlaying(false);
      else frame = requestAnimationFrame(advance);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, axis, last]);

  return {
    position: Math.min(position, last),
    isPlaying,
    speed,
    go(next) {
      setPlaying(false);
      setPosition(Math.round(Math.min(Math.max(0, next), last)));
    },
    play() {
      const from = position >= last ? 0 : position;
      moment.current = axis.at[from] ?? 0;
      setPosition(from);
      setPlaying(true);
    },
    pause: () => setPlaying(false),
    setSpeed,
  };
}
