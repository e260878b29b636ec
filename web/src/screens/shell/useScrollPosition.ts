import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

/** Number of history entries whose scroll position is stored. */
const MAX_ENTRIES = 100;

const positions = new Map<string, number>();

function remember(key: string, top: number): void {
  positions.delete(key);
  positions.set(key, top);
  const [oldest] = positions.keys();
  if (positions.size > MAX_ENTRIES && oldest !== undefined) positions.delete(oldest);
}

/** Scrolls a new page to its top or its fragment; back and forward restore the previous position. */
export function useScrollPosition(): void {
  const { key, hash, pathname } = useLocation();
  const way = useNavigationType();

  useEffect(() => {
    window.history.scrollRestoration = "manual";
    // The browser restores the position after a reload.
    const leave = () => {
      window.history.scrollRestoration = "auto";
    };
    window.addEventListener("pagehide", leave);
    return () => window.removeEventListener("pagehide", leave);
  }, []);

  const displayedPath = useRef<string | null>(null);
  useLayoutEffect(() => {
    const before = displayedPath.current;
    displayedPath.current = pathname;
    // The browser positions the first page; replacing the query keeps the position.
    if (before === null || (way === "REPLACE" && before === pathname)) return;
    const part = hash === "" ? null : document.getElementById(hash.slice(1));
    if (way === "POP") window.scrollTo(0, positions.get(key) ?? 0);
    else if (part) part.scrollIntoView();
    else window.scrollTo(0, 0);
  }, [key, way, hash, pathname]);

  // Before the next scroll event: scrolling of the new page must not be stored for the old one.
  useLayoutEffect(() => {
    const note = () => remember(key, window.scrollY);
    window.addEventListener("scroll", note, { passive: true });
    return () => window.removeEventListener("scroll", note);
  }, [key]);
}
