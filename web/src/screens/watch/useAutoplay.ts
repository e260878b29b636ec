import { useEffect } from "react";
import { useLocation } from "react-router";
import { isAutoplay } from "./autoplay";

/** Whether the viewer already pressed play on the page that led here. */
export function useAutoplay(): boolean {
  const isStarting = isAutoplay(useLocation().state);
  useEffect(() => {
    // Only once: reloading or returning to the page doesn't start it again.
    if (isStarting) window.history.replaceState({ ...window.history.state, usr: null }, "");
  }, [isStarting]);
  return isStarting;
}
