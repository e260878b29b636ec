/**
 * Rules of axe that need what is laid out, painted or served: a journey in a browser holds the site to them, one in jsdom
 * to all others.
 */
export const BROWSER_RULES = [
  "color-contrast",
  "css-orientation-lock",
  "document-title",
  "html-has-lang",
  "html-lang-valid",
  "link-in-text-block",
  "meta-viewport",
  "scrollable-region-focusable",
  "target-size",
] as const;

/** Pages that only a viewer has. */
export const VIEWER_PAGES = [
  "/buy?type=event&event_id=1",
  "/select-package/2",
  "/profile",
  "/profile/transactions",
  "/profile/clips",
  "/profile/favourites",
  "/profile/edit",
  "/profile/sessions/add",
] as const;
