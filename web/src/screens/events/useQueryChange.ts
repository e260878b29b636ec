import { useCallback, useLayoutEffect, useRef } from "react";
import { useSearchParams } from "react-router";

/**
 * Changes the address's query; an empty value removes its key. The router applies a change with a delay, so pending
 * changes are merged.
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
