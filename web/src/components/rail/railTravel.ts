import { type RefObject, useEffect, useRef } from "react";

/** Time to scroll a whole rail with a held button, in milliseconds (VOD-2). */
const RAIL_SCROLL_MS = 5_000;
/** A longer press is a hold; a shorter one turns a page. */
const HOLD_DELAY_MS = 300;

type Direction = 1 | -1;

/** A rail's buttons: a press turns a page, holding scrolls until release. */
export function useRailTravel(list: RefObject<HTMLElement | null>) {
  const stop = useRef<(() => void) | null>(null);
  const travelled = useRef(false);
  useEffect(() => () => stop.current?.(), []);

  function hold(direction: Direction): void {
    travelled.current = false;
    let frame = 0;
    let before: number | null = null;
    let offset = 0;
    const travel = (now: number): void => {
      const rail = list.current;
      if (!rail) return;
      const length = rail.scrollWidth - rail.clientWidth;
      if (before === null) offset = rail.scrollLeft;
      else offset += (direction * length * (now - before)) / RAIL_SCROLL_MS;
      offset = Math.min(length, Math.max(0, offset));
      before = now;
      rail.scrollTo({ left: offset, behavior: "instant" });
      frame = requestAnimationFrame(travel);
    };
    const waiting = setTimeout(() => {
      travelled.current = true;
      // Snapping would pull each step back to a card.
      if (list.current) list.current.style.scrollSnapType = "none";
      frame = requestAnimationFrame(travel);
    }, HOLD_DELAY_MS);
    const end = (): void => {
      clearTimeout(waiting);
      cancelAnimationFrame(frame);
      if (list.current) list.current.style.scrollSnapType = "";
      for (const name of ["pointerup", "pointercancel", "blur"]) window.removeEventListener(name, end);
      stop.current = null;
      // After this release's click event, if any.
      setTimeout(() => {
        travelled.current = false;
      });
    };
    // The held button may become disabled at the rail's end and then receives no events.
    for (const name of ["pointerup", "pointercancel", "blur"]) window.addEventListener(name, end);
    stop.current?.();
    stop.current = end;
  }

  function page(direction: Direction): void {
    // Not for the click that ends a hold.
    if (!travelled.current) list.current?.scrollBy({ left: direction * list.current.clientWidth * 0.9 });
  }

  const button = (direction: Direction) => ({
    onPointerDown: () => hold(direction),
    onClick: () => page(direction),
  });
  return { before: button(-1), after: button(1) };
}
