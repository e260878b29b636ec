import { TRACKING_LIFETIME_MS, trackingOf } from "../navigation";
import type { HistoryEntry } from "./pages";

/** The key that the inline script writes (`worker/touchline/src/site/start.js`). */
const STORED = "touchline:early-pages";

/** A page with a first screen, as it was opened. */
interface EarlyPage {
  readonly pathname: string;
  readonly search: string;
  readonly referrer: string;
  /** The page's `performance.timeOrigin` in Unix milliseconds, which also identifies it. */
  readonly opened: number;
}

export interface EarlyPages {
  /** The referrer of the earliest page. */
  readonly referrer: string;
  /** Queries of the current page and these, newest first. */
  readonly searches: readonly string[];
  /** The latest tracking value that one of these queries brings (NAV-6). */
  readonly trk: string | null;
  /** Records them. Until then, a link that leaves the page passes them on to the next page. */
  record(page: (reached: HistoryEntry) => void): void;
}

type Browser = Pick<Window, "document" | "location" | "performance" | "sessionStorage">;

const isEarlyPage = (value: unknown): value is EarlyPage => {
  const { pathname, search, referrer, opened } = (value ?? {}) as { [field: string]: unknown };
  return [pathname, search, referrer].every((text) => typeof text === "string") && typeof opened === "number";
};

function read(browser: Browser): EarlyPage[] {
  try {
    const stored: unknown = JSON.parse(browser.sessionStorage.getItem(STORED) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isEarlyPage) : [];
  } catch {
    return [];
  }
}

function clear(browser: Browser): void {
  try {
    browser.sessionStorage.removeItem(STORED);
  } catch {
    // Without storage there is nothing to forget.
  }
}

/**
 * NAV-10. Pages of this tab that were left before the site's script took over, mostly by a link on the first screen. If
 * the browser refuses storage there are none, and no event could be stored either (ANA-6).
 */
export function earlyPages(browser: Browser, now: number): EarlyPages {
  const { timeOrigin } = browser.performance;
  // A restored tab may have pages of another day.
  const isRecent = ({ opened }: EarlyPage): boolean => opened > now - TRACKING_LIFETIME_MS;
  const earlier = read(browser).filter((page) => page.opened !== timeOrigin && isRecent(page));
  const searches = [browser.location.search, ...earlier.map(({ search }) => search).reverse()];
  const values = searches.map((search) => trackingOf(Object.fromEntries(new URLSearchParams(search))));
  return {
    referrer: earlier[0]?.referrer ?? browser.document.referrer,
    searches,
    trk: values.find((value) => value !== null) ?? null,
    record(page) {
      clear(browser);
      for (const { pathname, search, opened } of earlier) page({ pathname, search, key: `early ${opened}` });
    },
  };
}

/** The address on this site that a clicked link leads to; null if the browser should follow it. */
export function linkPressed(event: MouseEvent, origin: string): string | null {
  const { altKey, ctrlKey, metaKey, shiftKey, button, defaultPrevented, target } = event;
  if (altKey || ctrlKey || metaKey || shiftKey || button !== 0 || defaultPrevented) return null;
  const link = target instanceof Element ? target.closest("a") : null;
  if (link === null || link.origin !== origin || link.target !== "") return null;
  return `${link.pathname}${link.search}${link.hash}`;
}
