import { useCallback, useEffect, useState } from "react";
import { shallowEqual } from "react-redux";
import { type Query, queryActions, queryKey, selectQuery } from "../slices/queries";
import { useAppDispatch, useAppSelector } from "./state";

interface Read {
  /** `failed` when one of the reads failed, `loaded` when all have been answered. */
  readonly at: "idle" | "loading" | "loaded" | "failed";
  /** One of them failed because the channel has no such thing: asking again is of no use. */
  readonly missing: boolean;
  /** One of them failed because it is closed to the viewer's region (GEO-1). */
  readonly blocked: boolean;
  readonly retry: () => void;
}

/** The worker's own word for it: the bare 404 of a proxy says nothing of what the channel has. */
const MISSING = "not_found";
const BLOCKED = "geo_blocked";

const keysOf = (queries: readonly Query[]): string => queries.map(queryKey).join("\n");

/** Says that this place of the page wants `queries` for as long as it is shown, and how the reads stand. */
export function useReads(queries: readonly Query[]): Read {
  const dispatch = useAppDispatch();
  // The same reads may be put together anew at each rendering; their keys tell whether they are others.
  const [kept, setKept] = useState(queries);
  const same = keysOf(kept) === keysOf(queries);
  if (!same) setKept(queries);
  const stable = same ? kept : queries;
  const states = useAppSelector(
    (state) =>
      stable.map((query) => {
        const { at, error } = selectQuery(query)(state);
        if (at !== "failed") return at;
        return error?.code === MISSING ? "missing" : error?.code === BLOCKED ? "blocked" : at;
      }),
    shallowEqual,
  );
  useEffect(() => {
    for (const query of stable) dispatch(queryActions.wanted(query));
    return () => {
      for (const query of stable) dispatch(queryActions.left(query));
    };
  }, [dispatch, stable]);
  const retry = useCallback(() => {
    for (const query of stable) dispatch(queryActions.retryPressed(query));
  }, [dispatch, stable]);
  const missing = states.includes("missing");
  const blocked = states.includes("blocked");
  const at =
    missing || blocked || states.includes("failed")
      ? "failed"
      : states.includes("loading")
        ? "loading"
        : states.includes("idle")
          ? "idle"
          : "loaded";
  return { at, missing, blocked, retry };
}

const NONE: readonly Query[] = [];

/** The same for one read, or none. */
export function useRead(query: Query | null): Read {
  return useReads(query === null ? NONE : [query]);
}
