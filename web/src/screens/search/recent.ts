import type { Id } from "../../contracts/resources";
import { isPrivate } from "../../lib/privateText";
import { selectUserId } from "../../slices/auth";
import { preferencesActions, RECENT_SEARCHES, selectPreference } from "../../slices/preferences";
import { useAppDispatch, useAppSelector } from "../state";

/** Maximum number of stored searches. */
const MAX_SEARCHES = 8;
const NONE: readonly string[] = [];

/** A viewer's searches from the device's store: other viewers' searches stay hidden. */
function listOf(kept: string | null, by: Id | null): readonly string[] {
  try {
    const { by: own, searches }: { by?: unknown; searches?: unknown } = JSON.parse(kept ?? "{}");
    if (own !== by || !Array.isArray(searches)) return NONE;
    return searches.filter((one) => typeof one === "string").slice(0, MAX_SEARCHES);
  } catch {
    return NONE;
  }
}

interface Recent {
  /** Newest first. */
  readonly searches: readonly string[];
  /** Stores a query that led somewhere. */
  readonly keep: (words: string) => void;
  readonly remove: (words: string) => void;
  readonly clear: () => void;
}

/** Recent searches on this device, stored with the viewer's preferences (SEARCH-3). */
export function useRecentSearches(): Recent {
  const dispatch = useAppDispatch();
  const by = useAppSelector(selectUserId);
  const searches = listOf(useAppSelector(selectPreference(RECENT_SEARCHES)), by);
  const store = (list: readonly string[]) => {
    const value = JSON.stringify({ by, searches: list.slice(0, MAX_SEARCHES) });
    dispatch(preferencesActions.chose({ name: RECENT_SEARCHES, value }));
  };
  const without = (words: string) => searches.filter((one) => one.toLowerCase() !== words.toLowerCase());
  return {
    searches,
    // A private search isn't stored (LOG-2).
    keep: (words) => words !== "" && words !== searches[0] && !isPrivate(words) && store([words, ...without(words)]),
    remove: (words) => store(without(words)),
    clear: () => store(NONE),
  };
}
