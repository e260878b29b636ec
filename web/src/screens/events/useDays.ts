import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { useNow } from "../../components/basic/now";
import { selectAnswer } from "../../slices/transient";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { countByDay, dayNamed, dayOf } from "./dates";
import { hasDays, type Tab, wholeFilter } from "./eventFilters";

export interface Days {
  /** Events per day; null until loaded. */
  readonly counts: ReadonlyMap<string, number> | null;
  /** Total number of events. */
  readonly total: number | null;
  readonly today: string;
  /** The day in the address; null for none. */
  readonly named: string | null;
}

/** Days of a tab's events (LIST-6). */
export function useDays(tab: Tab): Days {
  const [params] = useSearchParams();
  const now = useNow(60_000);
  const args = { filter: wholeFilter(tab, params) };
  const isCounted = hasDays(tab);
  useRead(isCounted ? { method: "api.listEventStarts", args } : null);
  const starts = useAppSelector(selectAnswer("api.listEventStarts", args));
  const counts = useMemo(() => (starts === null ? null : countByDay(starts)), [starts]);
  return {
    counts: isCounted ? counts : null,
    total: starts?.length ?? null,
    today: dayOf(now),
    named: isCounted ? dayNamed(params.get("date")) : null,
  };
}
