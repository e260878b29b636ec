import { shallowEqual } from "react-redux";
import type { EventView } from "../../components/event/eventView";
import { selectEventList, selectEventsById, selectFavouriteEventList } from "../../slices/events";
import type { Query } from "../../slices/queries";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useReads } from "../useRead";
import { filterOf, PAGE, type Tab } from "./eventFilters";

type ListQuery = Extract<Query, { method: "api.listEvents" | "api.listFavouriteEvents" }>;

interface EventPages {
  readonly events: readonly EventView[];
  /** How many there are in all; null until known. */
  readonly total: number | null;
  readonly at: "idle" | "loading" | "loaded" | "failed";
  readonly retry: () => void;
}

const queryOf = (tab: Tab, params: URLSearchParams, limit: number, offset: number): ListQuery => ({
  method: tab === "user" ? "api.listFavouriteEvents" : "api.listEvents",
  args: { filter: filterOf(tab, params, limit, offset) },
});

/** How many events a tab holds under the filters of the address. */
export function useTotal(tab: Tab, params: URLSearchParams): number | null {
  const query = queryOf(tab, params, PAGE, 0);
  useReads([query]);
  return useAppSelector((state) => selectEventList(query.args.filter)(state)?.total ?? null);
}

/** The first `pages` parts of a tab's list, joined. */
export function useEventPages(tab: Tab, params: URLSearchParams, pages: number): EventPages {
  const queries = Array.from({ length: pages }, (_, page) => queryOf(tab, params, PAGE, page * PAGE));
  const { at, retry } = useReads(queries);
  const select = tab === "user" ? selectFavouriteEventList : selectEventList;
  const known = useAppSelector((state) => queries.map(({ args }) => select(args.filter)(state)), shallowEqual);
  const byId = useAppSelector(selectEventsById);
  const view = useEventView();
  const ids = [...new Set(known.flatMap((list) => list?.ids ?? []))];
  const status = tab === "user" || tab === "passes" ? null : tab;
  const events = ids.flatMap((id) => {
    const event = byId[id];
    if (!event || (status !== null && event.stream_status !== status)) return [];
    const shown = view(event);
    return tab === "passes" && shown.offer.kind !== "owned" ? [] : [shown];
  });
  return { events, total: tab === "passes" ? events.length : (known[0]?.total ?? null), at, retry };
}
