import type { BrowserContext } from "@playwright/test";

/** A heart's request. */
export type FavouriteRequest = "add" | "remove";

/** Requests sent by the browser, all of which were stored first. */
export interface ObservedRequests {
  /** The Idempotency-Keys of each event's purchase requests. */
  readonly buys: ReadonlyMap<number, ReadonlySet<string>>;
  /** The Idempotency-Keys of each clip's requests, by its name. */
  readonly clips: ReadonlyMap<string, ReadonlySet<string>>;
  /** The last request for each team. A heart that toggles as it is pressed removes a favourite. */
  readonly hearts: ReadonlyMap<number, FavouriteRequest>;
  /** The last answered request for each team, which the viewer's site has received. */
  readonly answered: ReadonlyMap<number, FavouriteRequest>;
}

interface Favourite {
  readonly id: number;
  readonly favoritable_id: number;
}

function addKey<K>(keys: Map<K, Set<string>>, what: K, key: string): void {
  keys.set(what, (keys.get(what) ?? new Set()).add(key));
}

/** Observes the requests of a browser's pages to the channel, and its answers about favourites. */
export function recordRequests(context: BrowserContext): ObservedRequests {
  const buys = new Map<number, Set<string>>();
  const clips = new Map<string, Set<string>>();
  const hearts = new Map<number, FavouriteRequest>();
  const answered = new Map<number, FavouriteRequest>();
  /** The teams of answered favourites. */
  const teams = new Map<number, number>();
  const removed = (pathname: string): number | undefined =>
    teams.get(Number(/^\/api\/favorite\/(\d+)$/.exec(pathname)?.[1]));

  context.on("request", (request) => {
    const { pathname } = new URL(request.url());
    const key = request.headers()["idempotency-key"] ?? "";
    const body = () => request.postDataJSON() as { id?: number; name?: string; favoritable_id?: number };
    if (pathname === "/api/stripe/buy") addKey(buys, body().id ?? 0, key);
    if (pathname === "/api/clip") addKey(clips, body().name ?? "", key);
    if (pathname === "/api/favorite") hearts.set(body().favoritable_id ?? 0, "add");
    const team = removed(pathname);
    if (team !== undefined) hearts.set(team, "remove");
  });
  context.on("response", async (response) => {
    const { pathname } = new URL(response.url());
    const removedId = response.ok() ? removed(pathname) : undefined;
    if (removedId !== undefined) answered.set(removedId, "remove");
    if (!response.ok() || !/^\/api\/favorites?$/.test(pathname)) return;
    // A killed tab loses its answers.
    const answer = (await response.json().catch(() => null)) as { data?: Favourite | Favourite[] } | null;
    for (const { id, favoritable_id } of [answer?.data ?? []].flat()) {
      teams.set(id, favoritable_id);
      if (pathname === "/api/favorite") answered.set(favoritable_id, "add");
    }
  });
  return { buys, clips, hearts, answered };
}
