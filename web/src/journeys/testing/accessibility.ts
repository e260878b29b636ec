/** axe rules that need layout, painting or serving: browser journeys check those, jsdom journeys all others. */
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

/** Pages for signed-in viewers only. */
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
