import { useMemo } from "react";
import { shallowEqual } from "react-redux";
import type { EventView } from "../../components/event/eventView";
import type { Event, StreamStatus } from "../../contracts/resources";
import { selectEventList, selectEventsById, selectFavouriteEventList } from "../../slices/events";
import type { Query } from "../../slices/queries";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useReads } from "../useRead";
import { filterOf, PAGE, statusesOf, type Tab } from "./eventFilters";
import { useStoredEvents } from "./useStoredEvents";

type ListQuery = Extract<Query, { method: "api.listEvents" | "api.listFavouriteEvents" }>;

interface EventPages {
  readonly events: readonly EventView[];
  /** Total number of events; null until loaded. */
  readonly total: number | null;
  readonly at: "idle" | "loading" | "loaded" | "failed";
  readonly retry: () => void;
}

const queryOf = (tab: Tab, status: StreamStatus | undefined, params: URLSearchParams, offset: number): ListQuery => ({
  method: tab === "user" ? "api.listFavouriteEvents" : "api.listEvents",
  args: { filter: filterOf(tab, status, params, PAGE, offset) },
});

const listOf = ({ method, args }: ListQuery) =>
  (method === "api.listFavouriteEvents" ? selectFavouriteEventList : selectEventList)(args.filter);

/** Number of events in a state that match the address's filters. */
export function useTotal(status: StreamStatus, params: URLSearchParams): number | null {
  const query = queryOf(status, status, params, 0);
  useReads([query]);
  return useAppSelector((state) => listOf(query)(state)?.total ?? null);
}

/**
 * Number of parts to load per state for `wanted` events. The first part is always loaded, since it contains the total.
 */
function partsOf(totals: readonly (number | null)[], wanted: number): readonly number[] {
  let remaining = wanted;
  return totals.map((total) => {
    const size = Math.min(total ?? 0, remaining);
    remaining -= size;
    return Math.max(1, Math.ceil(size / PAGE));
  });
}

/** Caches views by event, so that existing rows don't render again. */
function remembered(viewOf: (event: Event) => EventView): (event: Event) => EventView {
  const views = new WeakMap<Event, EventView>();
  return (event) => {
    const cached = views.get(event) ?? viewOf(event);
    views.set(event, cached);
    return cached;
  };
}

/**
 * The first `pages` parts of a tab's list, merged: one state after the other. A list that can't be loaded offline
 * contains the stored events.
 */
export function useEventPages(tab: Tab, params: URLSearchParams, pages: number): EventPages {
  const statuses = statusesOf(tab);
  const totals = useAppSelector(
    (state) => statuses.map((status) => listOf(queryOf(tab, status, params, 0))(state)?.total ?? null),
    shallowEqual,
  );
  const queries = partsOf(totals, pages * PAGE).flatMap((parts, at) =>
    Array.from({ length: parts }, (_, part) => queryOf(tab, statuses[at], params, part * PAGE)),
  );
  const { at, retry } = useReads(queries);
  const lists = useAppSelector((state) => queries.map((query) => listOf(query)(state)), shallowEqual);
  const byId = useAppSelector(selectEventsById);
  const viewOf = useEventView();
  const view = useMemo(() => remembered(viewOf), [viewOf]);
  // Which events are of favourites isn't stored.
  const isUnread = tab !== "user" && lists.every((list) => list === null);
  const stored = useStoredEvents(queryOf(tab, statuses[0], params, 0).args.filter, isUnread ? at : "loaded");
  const ids = isUnread
    ? stored.map(({ id }) => id)
    : [...new Set(lists.flatMap((list) => list?.ids ?? []))].slice(0, pages * PAGE);
  const events = ids.flatMap((id) => {
    const event = byId[id];
    return event && (statuses.length > 1 || statuses[0] === undefined || event.stream_status === statuses[0])
      ? [view(event)]
      : [];
  });
  const total = totals.every((one) => one !== null) ? totals.reduce<number>((sum, one) => sum + (one ?? 0), 0) : null;
  return { events, total, at, retry };
}
