import { useEffect, useState } from "react";
import type { SearchResults } from "../../contracts/resources";
import { viewerActed } from "../../slices/analytics";
import { useIsReturn } from "../shell/entryState";
import { useAppDispatch } from "../state";
import { useAccount } from "../useAccount";

/** Time after which displayed results count as a search, in milliseconds: who types on has not searched yet. */
const SETTLE = 1_500;

const countOf = (results: SearchResults): number =>
  Object.values(results).reduce((sum, { meta }) => sum + meta.total, 0);

/**
 * Records each search whose results were displayed for a while (ANA-15), without its private words (LOG-2). The search
 * of a page that the viewer returns to was recorded before.
 */
export function useSearchRecord(query: string, results: SearchResults | null): void {
  const isReturn = useIsReturn();
  const [restored] = useState(isReturn ? query : null);
  const dispatch = useAppDispatch();
  const text = useAccount().standIn(query);
  const count = results === null || query === restored ? null : countOf(results);
  useEffect(() => {
    if (count === null) return undefined;
    const extras = { query: text, results: count };
    const settled = setTimeout(() => dispatch(viewerActed({ event: "searched", extras })), SETTLE);
    return () => clearTimeout(settled);
  }, [dispatch, text, count]);
}
