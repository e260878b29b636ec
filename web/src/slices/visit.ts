import { isSearched } from "../navigation";
import type { RootState } from "./index";
import type { QueriesState } from "./queries";

/** The reads without those that an address's query belongs to, which a viewer typed and chose. */
function withoutSearch(queries: QueriesState, query: { readonly [name: string]: string }): QueriesState {
  const typed = new Set(Object.values(query).map((text) => text.trim().replace(/\s+/g, " ")));
  const isTyped = (args: object) =>
    Object.values(args)
      .flat()
      .some((one) => typed.has(`${one}`));
  return Object.fromEntries(Object.entries(queries).filter(([, { query }]) => !isTyped(query.args)));
}

/**
 * The state without what its viewer read, typed and opened, which ends with them (LOG-4). The channel's data stays, and
 * the current page, which is still displayed.
 */
export function withoutVisit(state: RootState): RootState {
  const { current } = state.navigation;
  const search = current !== null && isSearched(current.name) ? current : null;
  return {
    ...state,
    events: { ...state.events, lists: {} },
    freshness: {},
    navigation: { current: search ? { ...search, query: {} } : current, previous: null, last: null },
    queries: search ? withoutSearch(state.queries, search.query) : state.queries,
    transient: {},
    vod: { ...state.vod, lists: {} },
  };
}
