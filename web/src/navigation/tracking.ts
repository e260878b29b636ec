/** For how long the tracking value is kept, milliseconds (NAV-6). */
export const TRACKING_LIFETIME_MS = 3 * 60 * 60 * 1000;

const LONGEST = 256;

/** The tracking value that a page's query brings; null when there is none, or none of a sensible length. */
export function trackingOf(query: { readonly [key: string]: string }): string | null {
  const value = query.trk?.trim() ?? "";
  return value === "" || value.length > LONGEST ? null : value;
}
