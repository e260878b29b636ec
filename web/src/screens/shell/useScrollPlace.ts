import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

/** How many pages of the history are remembered. */
const KEPT = 100;

const places = new Map<string, number>();

function remember(key: string, top: number): void {
  places.delete(key);
  places.set(key, top);
  const [oldest] = places.keys();
  if (places.size > KEPT && oldest !== undefined) places.delete(oldest);
}

/** A new page begins at its top, or at the part that its address names; back and forward find the place that was left. */
export function useScrollPlace(): void {
  const { key, hash, pathname } = useLocation();
  const way = useNavigationType();

  useEffect(() => {
    window.history.scrollRestoration = "manual";
    // A reload is the browser's to restore.
    const leave = () => {
      window.history.scrollRestoration = "auto";
    };
    window.addEventListener("pagehide", leave);
    return () => window.removeEventListener("pagehide", leave);
  }, []);

  const shown = useRef<string | null>(null);
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = pathname;
    // The first page is where the browser opened it; a replaced address of one page keeps its place.
    if (before === null || (way === "REPLACE" && before === pathname)) return;
    const part = hash === "" ? null : document.getElementById(hash.slice(1));
    if (way === "POP") window.scrollTo(0, places.get(key) ?? 0);
    else if (part) part.scrollIntoView();
    else window.scrollTo(0, 0);
  }, [key, way, hash, pathname]);

  // Before the next scroll is told: what the new page does is not the old page's place.
  useLayoutEffect(() => {
    const note = () => remember(key, window.scrollY);
    window.addEventListener("scroll", note, { passive: true });
    return () => window.removeEventListener("scroll", note);
  }, [key]);
}
