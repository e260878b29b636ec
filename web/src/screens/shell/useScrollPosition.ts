import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";
import { positionOf, storePosition } from "./entryState";
import { readPosition, restorePosition } from "./restorePosition";

/** Time without scrolling after which the position is stored, in milliseconds: browsers limit history changes. */
const REST_MS = 250;

/** Scrolls a new page to its top or its fragment; back, forward and a reload restore the previous position (LIST-7). */
export function useScrollPosition(): void {
  const { key, hash, pathname } = useLocation();
  const way = useNavigationType();

  useEffect(() => {
    // A browser restores a position before the list is loaded.
    window.history.scrollRestoration = "manual";
  }, []);

  const displayedPath = useRef<string | null>(null);
  const isRestoring = useRef(false);
  useLayoutEffect(() => {
    const before = displayedPath.current;
    displayedPath.current = pathname;
    const position = way === "POP" ? positionOf(key) : null;
    if (position !== null) {
      isRestoring.current = true;
      return restorePosition(position, () => {
        isRestoring.current = false;
      });
    }
    // The browser positions the first page; replacing the query keeps the position.
    if (before === null || (way === "REPLACE" && before === pathname)) return;
    const part = hash === "" ? null : document.getElementById(hash.slice(1));
    if (part) part.scrollIntoView();
    else window.scrollTo(0, 0);
    return undefined;
  }, [key, way, hash, pathname]);

  // Before the next scroll event: scrolling of the new page must not be stored for the old one.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const store = (pressed: EventTarget | null): void => {
      clearTimeout(timer);
      if (!isRestoring.current) storePosition(key, readPosition(pressed));
    };
    const scrolled = (): void => {
      clearTimeout(timer);
      timer = setTimeout(store, REST_MS, null);
    };
    const pressed = ({ target }: Event): void => store(target);
    const hidden = (): void => store(null);
    window.addEventListener("scroll", scrolled, { passive: true });
    // Before a link is followed.
    window.addEventListener("click", pressed, { capture: true });
    window.addEventListener("pagehide", hidden);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", scrolled);
      window.removeEventListener("click", pressed, { capture: true });
      window.removeEventListener("pagehide", hidden);
    };
  }, [key]);
}
