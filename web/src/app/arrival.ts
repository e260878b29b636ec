import { matchPath, type RouteName } from "../navigation";
import type { Arrival } from "../ports/arrival";

/** Personal data and secrets in mailed or returning links: they never enter the state (LOG-2). */
export const isSecret = (name: string): boolean =>
  // A bank redirects back with the client secret of a payment or setup intent. Other links may carry a key.
  /^(email|signature|code|expires|state|api_key)$|(client_secret|token)$/.test(name);

/** Pages that such links open. */
const LINKED: ReadonlySet<string> = new Set<RouteName>([
  "socialCallback",
  "verifyEmail",
  "passwordReset",
  "confirmAccountDeletion",
  "buy",
]);

/**
 * Removes the secrets of the opening link from the address, where third-party scripts, the history and onlookers could
 * read them; returns null if it has none. Called before anything else is loaded (LOG-2).
 */
export function takeArrival({ location, history }: Pick<Window, "location" | "history">): Arrival | null {
  const { pathname, search, hash } = location;
  if (!LINKED.has(matchPath(pathname, [])?.name ?? "")) return null;
  const params = new URLSearchParams(search);
  const rest = new URLSearchParams([...params].filter(([name]) => !isSecret(name)));
  if (rest.size === params.size) return null;
  const query = rest.size === 0 ? "" : `?${rest}`;
  history.replaceState(history.state, "", `${pathname}${query}${hash}`);
  return { pathname, params: Object.fromEntries(params) };
}
