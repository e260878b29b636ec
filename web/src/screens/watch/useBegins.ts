import { useEffect } from "react";
import { useLocation } from "react-router";
import { beginsBy } from "./begins";

/** Whether the viewer has asked for this page's video already, on the page that led here. */
export function useBegins(): boolean {
  const begins = beginsBy(useLocation().state);
  useEffect(() => {
    // It begins once: whoever loads the page anew, or comes back to it, has not asked again.
    if (begins) window.history.replaceState({ ...window.history.state, usr: null }, "");
  }, [begins]);
  return begins;
}
