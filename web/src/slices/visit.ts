import type { RootState } from "./index";

/**
 * The state without what its viewer read, typed and opened, which ends with them (LOG-4). The channel's data stays, and
 * the current page, which is still displayed.
 */
export const withoutVisit = (state: RootState): RootState => ({
  ...state,
  events: { ...state.events, lists: {} },
  freshness: {},
  navigation: { ...state.navigation, previous: null, last: null },
  transient: {},
  vod: { ...state.vod, lists: {} },
});
