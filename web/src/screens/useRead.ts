import { useCallback, useEffect, useState } from "react";
import { shallowEqual } from "react-redux";
import { selectOnline } from "../slices/network";
import { type Query, queryActions, queryKey, selectQuery } from "../slices/queries";
import { isRemoved } from "../slices/removed";
import { useAppDispatch, useAppSelector } from "./state";

interface Read {
  /** `failed` if one of the reads failed or waits for a lost network, `loaded` once all have been answered. */
  readonly at: "idle" | "loading" | "loaded" | "failed";
  /** One failed because the channel doesn't have it: a retry is useless. */
  readonly missing: boolean;
  /** One failed because it is blocked in the viewer's region (GEO-1). */
  readonly blocked: boolean;
  readonly retry: () => void;
}

const BLOCKED = "geo_blocked";

const keysOf = (queries: readonly Query[]): string => queries.map(queryKey).join("\n");

/** Declares `queries` as needed while mounted, and returns their status. */
export function useReads(queries: readonly Query[]): Read {
  const dispatch = useAppDispatch();
  // Queries may be new objects on each render; their keys show whether they changed.
  const [previous, setPrevious] = useState(queries);
  const same = keysOf(previous) === keysOf(queries);
  if (!same) setPrevious(queries);
  const stable = same ? previous : queries;
  const states = useAppSelector(
    (state) =>
      stable.map((query) => {
        const { at, error } = selectQuery(query)(state);
        if (at !== "failed" || error === null) return at;
        return isRemoved(error) ? "missing" : error.code === BLOCKED ? "blocked" : at;
      }),
    shallowEqual,
  );
  const online = useAppSelector(selectOnline);
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
    missing || blocked || states.includes("failed") || (!online && states.includes("loading"))
      ? "failed"
      : states.includes("loading")
        ? "loading"
        : states.includes("idle")
          ? "idle"
          : "loaded";
  return { at, missing, blocked, retry };
}

const NONE: readonly Query[] = [];

/** The same for a single read, or none. */
export function useRead(query: Query | null): Read {
  return useReads(query === null ? NONE : [query]);
}
