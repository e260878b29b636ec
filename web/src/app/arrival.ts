import { matchPath, type RouteName } from "../navigation";
import type { Arrival } from "../ports/arrival";

/** What a mailed or returning link carries of a person, or opens a door with: it never enters the state (LOG-2). */
export const isSecret = (name: string): boolean =>
  // A bank's page leads back with the client secret of a payment or setup intent; others' links may carry a key.
  /^(email|signature|code|expires|state|api_key)$|(client_secret|token)$/.test(name);

/** The pages that such links open. */
const LINKED: ReadonlySet<string> = new Set<RouteName>([
  "socialCallback",
  "verifyEmail",
  "passwordReset",
  "confirmAccountDeletion",
  "buy",
]);

/**
 * Takes the secrets of the link that opened the page out of its address, where scripts of others, the history and whoever
 * looks at the screen would read them; null where it has none. Called before anything else is loaded (LOG-2).
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
