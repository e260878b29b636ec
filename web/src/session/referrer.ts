/** Longer names are no host's. */
const LONGEST = 300;

/**
 * The origin of the site that a page was reached from, never a path or a query of it. Empty where the browser names
 * none, or names this site itself.
 */
export function referrerOf(referrer: string, origin: string): string {
  if (!URL.canParse(referrer)) return "";
  const { protocol, host } = new URL(referrer);
  const from = `${protocol}//${host}`;
  return host === "" || from === origin || from.length > LONGEST ? "" : from;
}
