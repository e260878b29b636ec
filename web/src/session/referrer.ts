/** No host name is longer. */
const LONGEST = 300;

/** The origin of the referring site, never its path or query. Empty if the browser names none, or this site itself. */
export function referrerOf(referrer: string, origin: string): string {
  if (!URL.canParse(referrer)) return "";
  const { protocol, host } = new URL(referrer);
  const from = `${protocol}//${host}`;
  return host === "" || from === origin || from.length > LONGEST ? "" : from;
}
