import { withoutAddresses } from "../lib/privateText";

/** Lifetime of the tracking value, in milliseconds (NAV-6). */
export const TRACKING_LIFETIME_MS = 3 * 60 * 60 * 1000;

const MAX_LENGTH = 256;

/** The tracking value in a page's query, which is sent as it is recorded; null if it is missing or too long. */
export function trackingOf(query: { readonly [key: string]: string }): string | null {
  const value = query.trk?.trim() ?? "";
  return value === "" || value.length > MAX_LENGTH ? null : withoutAddresses(value);
}
