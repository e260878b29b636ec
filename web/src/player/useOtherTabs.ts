import { useContext, useEffect, useRef, useState } from "react";
import { OtherTabsContext } from "../ports/otherTabs";
import type { Playback } from "./playback";

/**
 * Pauses when a video starts with sound in another tab. Returns whether this video is paused for that reason
 * (PLAYBACK-2).
 */
export function useOtherTabs({ at, muted }: Playback, pause: () => void): boolean {
  const tabs = useContext(OtherTabsContext);
  const isPlaying = at === "playing";
  const [state, setState] = useState({ isPlaying, isInterrupted: false });
  // Another start of this video ends the interruption.
  if (state.isPlaying !== isPlaying) setState({ isPlaying, isInterrupted: !isPlaying && state.isInterrupted });
  const current = useRef({ isPlaying, pause });
  useEffect(() => {
    current.current = { isPlaying, pause };
  });
  const isAudible = isPlaying && !muted;
  useEffect(() => {
    if (isAudible) tabs?.playing();
  }, [tabs, isAudible]);
  useEffect(
    () =>
      tabs?.onPlaying(() => {
        if (!current.current.isPlaying) return;
        current.current.pause();
        setState({ isPlaying: true, isInterrupted: true });
      }),
    [tabs],
  );
  return state.isInterrupted && at === "paused";
}
