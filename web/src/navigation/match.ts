import { type RouteName, routeNames, routes } from "./routes";

export interface PageAddress {
  readonly id: number;
  readonly url: string;
  readonly name: string;
}

/** The screen at an address, with its path parameters. `content` is a page of the channel. */
export interface Match {
  readonly name: RouteName | "content";
  readonly params: { readonly [name: string]: string };
}

const NUMBER = /^[1-9][0-9]{0,14}$/;

const segments = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Returns the parameters of `path` under `pattern`; null if it doesn't match. A trailing slash is ignored. */
function paramsOf(pattern: string, path: string): { [name: string]: string } | null {
  const wanted = segments(pattern);
  const actual = segments(path);
  if (wanted.length !== actual.length) return null;
  const params: { [name: string]: string } = {};
  for (const [index, want] of wanted.entries()) {
    const text = decoded(actual[index] ?? "");
    if (text === null) return null;
    if (want.startsWith(":")) params[want.slice(1)] = text;
    // A channel's page address may contain percent-escapes.
    else if (decoded(want) !== text) return null;
  }
  return params;
}

function matchRoute(name: RouteName, path: string): Match | null {
  const route = routes[name];
  for (const pattern of [route.path, ...(route.aliases ?? [])]) {
    const params = paramsOf(pattern, path);
    if (params === null) continue;
    return route.numeric?.every((param) => NUMBER.test(params[param] ?? "")) === false ? null : { name, params };
  }
  return null;
}

/**
 * Finds the screen at `pathname`; null for an unknown path. The site's routes take precedence over the channel's pages.
 */
export function matchPath(pathname: string, pages: readonly PageAddress[] = []): Match | null {
  for (const name of routeNames) {
    const match = matchRoute(name, pathname);
    if (match) return match;
  }
  const page = pages.find(({ url }) => paramsOf(url, pathname) !== null);
  return page ? { name: "content", params: { id: String(page.id) } } : null;
}
