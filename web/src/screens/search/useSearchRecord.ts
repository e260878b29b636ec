import { useEffect, useRef } from "react";
import type { SearchResults } from "../../contracts/resources";
import { MASK, withoutPrivate } from "../../lib/privateText";
import { viewerActed } from "../../slices/analytics";
import { useIsReturn } from "../shell/entryState";
import { useAppDispatch } from "../state";

/** Time after which displayed results count as a search, in milliseconds: who types on has not searched yet. */
const SETTLE = 1_500;

const countOf = (results: SearchResults): number =>
  Object.values(results).reduce((sum, { meta }) => sum + meta.total, 0);

/**
 * Records each search whose results were displayed for a while (ANA-15), without its private words (LOG-2). The search
 * of a page that the viewer returns to was recorded before.
 */
export function useSearchRecord(query: string, results: SearchResults | null): void {
  const dispatch = useAppDispatch();
  const text = withoutPrivate(query, () => MASK);
  const recorded = useRef(useIsReturn() ? text : "");
  const count = results === null ? null : countOf(results);
  useEffect(() => {
    // A fresh answer to the same search isn't another one.
    if (count === null || text === recorded.current) return undefined;
    const settled = setTimeout(() => {
      recorded.current = text;
      dispatch(viewerActed({ event: "searched", extras: { query: text, results: count } }));
    }, SETTLE);
    return () => clearTimeout(settled);
  }, [dispatch, text, count]);
}
