import { useCallback, useLayoutEffect, useRef } from "react";
import { useSearchParams } from "react-router";

/**
 * Changes the query of the address; an empty value takes its key away. The router shows a change a moment later: one
 * that is made meanwhile builds upon it.
 */
export function useQueryChange(): (values: { readonly [key: string]: string }) => void {
  const [params, setParams] = useSearchParams();
  const latest = useRef(params);
  useLayoutEffect(() => {
    latest.current = params;
  }, [params]);
  return useCallback(
    (values) => {
      const next = new URLSearchParams(latest.current);
      for (const [key, value] of Object.entries(values)) {
        if (value === "") next.delete(key);
        else next.set(key, value);
      }
      latest.current = next;
      setParams(next);
    },
    [setParams],
  );
}
