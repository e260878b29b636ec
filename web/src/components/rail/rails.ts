import type { KeyboardEvent } from "react";

/** Elements that arrow keys stop at inside a `data-rail` container. */
const STOP = "[data-stop]";
const RAIL = "[data-rail]";

const stopsOf = (rail: Element) => [...rail.querySelectorAll<HTMLElement>(STOP)];

/** The index of the stop that an element is, or shares a card with; -1 if none. */
const indexOfStop = (rail: Element, element: Element): number =>
  stopsOf(rail).findIndex((stop) => stop === element || stop.closest("[data-card]")?.contains(element));

/**
 * Handles arrow keys in a rail: left and right move within it and stop at its ends; up and down move to the adjacent
 * rail, which restores its last position.
 */
export function moveInRail(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const rail = event.currentTarget;
  const stops = stopsOf(rail);
  const at = indexOfStop(rail, event.target as HTMLElement);
  if (at < 0) return;
  const target = (() => {
    switch (event.key) {
      case "ArrowRight":
        return stops[at + 1];
      case "ArrowLeft":
        return stops[at - 1];
      case "ArrowDown":
      case "ArrowUp": {
        const rails = [...rail.ownerDocument.querySelectorAll<HTMLElement>(RAIL)].filter(
          (other) => stopsOf(other).length > 0,
        );
        const next = rails[rails.indexOf(rail) + (event.key === "ArrowDown" ? 1 : -1)];
        if (!next) return undefined;
        const places = stopsOf(next);
        return places[Math.min(Number(next.dataset.place ?? 0), places.length - 1)];
      }
      default:
        return undefined;
    }
  })();
  if (!target) return;
  event.preventDefault();
  target.focus();
  target.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Stores the position, however it was reached: by press, tab or arrow. */
export function rememberPosition(event: { currentTarget: HTMLElement; target: EventTarget }): void {
  const at = indexOfStop(event.currentTarget, event.target as HTMLElement);
  if (at >= 0) event.currentTarget.dataset.place = String(at);
}
