import { isSearched } from "../navigation";
import type { RootState } from "./index";
import type { NavigationState } from "./navigation";
import type { QueriesState } from "./queries";

/** The current page, which is still displayed, without what the viewer typed and chose there. */
const pageOnly = (page: NavigationState["current"]): NavigationState["current"] =>
  page !== null && isSearched(page.name) ? { ...page, query: {} } : page;

/** The reads without those that a search or filter of the current page belongs to. Its next address has others. */
function withoutSearch(queries: QueriesState, page: NavigationState["current"]): QueriesState {
  if (page === null || !isSearched(page.name)) return queries;
  const typed = new Set(Object.values(page.query).map((text) => text.trim().replace(/\s+/g, " ")));
  const isTyped = (args: object) =>
    Object.values(args).some((value) => [value].flat().some((one) => typed.has(`${one}`)));
  return Object.fromEntries(Object.entries(queries).filter(([, { query }]) => !isTyped(query.args)));
}

/**
 * The state without what its viewer read, typed and opened, which ends with them (LOG-4). The channel's data stays, and
 * the current page.
 */
export const withoutVisit = (state: RootState): RootState => ({
  ...state,
  events: { ...state.events, lists: {} },
  freshness: {},
  navigation: { current: pageOnly(state.navigation.current), previous: null, last: null },
  queries: withoutSearch(state.queries, state.navigation.current),
  transient: {},
  vod: { ...state.vod, lists: {} },
});
