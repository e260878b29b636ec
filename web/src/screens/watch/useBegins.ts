import { useEffect } from "react";
import { useLocation } from "react-router";
import { beginsBy } from "./begins";

/** Whether the viewer already pressed play on the page that led here. */
export function useBegins(): boolean {
  const begins = beginsBy(useLocation().state);
  useEffect(() => {
    // Only once: reloading or returning to the page doesn't start it again.
    if (begins) window.history.replaceState({ ...window.history.state, usr: null }, "");
  }, [begins]);
  return begins;
}
