import type { Anchor, Position } from "./entryState";

/** Time for which a list may load before its position is given up, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Time for which late pictures and rows above may still move the list, in milliseconds. */
const SETTLE_MS = 1_000;
/** Input after which the viewer decides where the page is. */
const INPUTS = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

const links = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>("main a[href]")];
const hrefOf = (link: Element): string => link.getAttribute("href") ?? "";
const linkAt = (target: EventTarget | null): HTMLAnchorElement | null =>
  target instanceof Element ? target.closest<HTMLAnchorElement>("main a[href]") : null;
const topOf = (link: Element): number => link.getBoundingClientRect().top;

function anchorOf(link: HTMLAnchorElement, all: readonly HTMLAnchorElement[]): Anchor {
  const href = hrefOf(link);
  return { href, nth: all.filter((one) => hrefOf(one) === href).indexOf(link), offset: topOf(link) };
}

/** Vertical distance of the points at which a link is looked for, in pixels. */
const STEP_PX = 32;

/** The first link in the window. Only points are read: the layout of rows outside it is expensive. */
function firstInWindow(): HTMLAnchorElement | null {
  for (let top = STEP_PX; top < window.innerHeight; top += STEP_PX) {
    const link = linkAt(document.elementFromPoint?.(window.innerWidth / 3, top) ?? null);
    if (link) return link;
  }
  return null;
}

/** The current position. `pressed`: the element that the viewer pressed, if any. */
export function readPosition(pressed: EventTarget | null): Position {
  const top = window.scrollY;
  const anchor = linkAt(pressed) ?? firstInWindow();
  return anchor ? { top, anchor: anchorOf(anchor, links()) } : { top };
}

function find({ href, nth }: Anchor): HTMLAnchorElement | undefined {
  const same = links().filter((link) => hrefOf(link) === href);
  return same[nth] ?? same[0];
}

/**
 * Scrolls to a position as soon as the page is long enough, and follows its link while rows above it load. Ends with
 * the viewer's next input. Returns a function that ends it.
 */
export function restorePosition({ top, anchor }: Position, onEnd: () => void): () => void {
  let timer = setTimeout(end, TIMEOUT_MS);
  let isFound = false;
  const scroll = (): void => {
    const link = anchor && find(anchor);
    if (!link) {
      window.scrollTo(0, top);
      if (anchor || document.documentElement.scrollHeight - window.innerHeight < top) return;
    } else {
      window.scrollTo(0, window.scrollY + topOf(link) - anchor.offset);
      if (link.closest("[data-rail]") !== null) link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (isFound) return;
    isFound = true;
    clearTimeout(timer);
    timer = setTimeout(end, SETTLE_MS);
  };
  const observer = new ResizeObserver(scroll);
  observer.observe(document.body);
  for (const input of INPUTS) window.addEventListener(input, end, { passive: true });
  function end(): void {
    clearTimeout(timer);
    observer.disconnect();
    for (const input of INPUTS) window.removeEventListener(input, end);
    onEnd();
  }
  scroll();
  return end;
}
