/** A television as in the style sheets: its remote has four arrows and a button, and no fine pointer. */
const TELEVISION = "(min-width: 1800px) and (pointer: coarse), (min-width: 1800px) and (pointer: none)";
/** Elements that handle letters or arrow keys themselves. */
const KEY_CONTROLS =
  "input, textarea, select, video, [contenteditable], [role=slider], [role=radio], [role=tab], [role=menuitem]";
const PLACES = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex='0']";

type Box = Pick<DOMRect, "left" | "right" | "top" | "bottom">;
type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

const ahead = (a: number, b: number, from: number, to: number) => Math.max(0, a - to, from - b);

/**
 * The distance from `from` to `to` in an arrow's direction. Sideways distance counts three times; other directions are
 * infinite.
 */
export function distance(from: Box, to: Box, arrow: Arrow): number {
  const isAcross = arrow === "ArrowLeft" || arrow === "ArrowRight";
  const along = {
    ArrowRight: to.left - from.right,
    ArrowLeft: from.left - to.right,
    ArrowDown: to.top - from.bottom,
    ArrowUp: from.top - to.bottom,
  }[arrow];
  // Adjacent elements may overlap because of focus rings and rounding.
  if (along < -4) return Number.POSITIVE_INFINITY;
  const aside = isAcross
    ? ahead(to.top, to.bottom, from.top, from.bottom)
    : ahead(to.left, to.right, from.left, from.right);
  return Math.max(0, along) + 3 * aside;
}

/** An element's box; for a container of focusable elements, such as a new page's main region, its upper edge. */
function boxOf(element: Element): Box {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return { left, right, top, bottom: element.matches(PLACES) ? bottom : top };
}

/** The nearest focusable element in a direction; the page's first if nothing is focused. */
function nearest(arrow: Arrow): HTMLElement | null {
  const room = document.querySelector("dialog[open], [role=dialog]") ?? document.body;
  const here = document.activeElement;
  let best: HTMLElement | null = null;
  let least = Number.POSITIVE_INFINITY;
  const from = here === null || here === document.body || !room.contains(here) ? null : boxOf(here);
  for (const element of room.querySelectorAll<HTMLElement>(PLACES)) {
    if (element === here || element.closest("[inert]") || !element.checkVisibility({ visibilityProperty: true }))
      continue;
    if (from === null) return element;
    const far = distance(from, element.getBoundingClientRect(), arrow);
    if (far < least) [best, least] = [element, far];
  }
  return best;
}

const isArrow = (key: string): key is Arrow => /^Arrow(?:Up|Down|Left|Right)$/.test(key);

/** Keys on every page: `/` opens the search (SEARCH-3); on a television, arrows move the focus (WIDE-2). */
export function listenToKeys(first: KeyboardEvent, search: () => void, signal: AbortSignal): void {
  const press = (event: KeyboardEvent) => {
    const { key, target, defaultPrevented } = event;
    if (defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (target instanceof Element && target.closest(KEY_CONTROLS)) return;
    if (key === "/") {
      if (document.querySelector("dialog[open], [role=dialog]")) return;
      event.preventDefault();
      search();
    } else if (isArrow(key) && !event.shiftKey && matchMedia(TELEVISION).matches) {
      const element = nearest(key);
      if (element === null) return;
      event.preventDefault();
      element.focus();
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  };
  press(first);
  document.addEventListener("keydown", press, { signal });
}
