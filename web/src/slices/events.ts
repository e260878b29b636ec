import { original } from "@reduxjs/toolkit";
import type { Event, EventFilter, Id } from "../contracts/resources";
import { connectionInputs } from "./connection";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { type Query, queryActions, queryKey } from "./queries";
import { isRemoved } from "./removed";

export interface EventList {
  readonly ids: readonly Id[];
  readonly total: number;
}

export interface EventRail extends EventList {
  readonly id: string;
  readonly title: string;
}

/** EVENT, LIST. Events by id, and their lists by query key, oldest first. */
export interface EventsState {
  readonly byId: { readonly [id: Id]: Event };
  readonly lists: { readonly [key: string]: EventList };
  readonly rails: readonly EventRail[];
}

const initialState: EventsState = { byId: {}, lists: {}, rails: [] };

/** Limit of stored lists; events that only a dropped list contained go with it. */
const MAX_LISTS = 40;
/** Events above this limit are dropped unless a list or rail shows them. */
const MAX_EVENTS = 500;

type EventUpdate = Pick<Event, "stream_status" | "event_utc_ts" | "name" | "description" | "score">;

/** Applies the channel stream's fields to the event; a missing score means none. */
function withUpdate(
  event: Event,
  { stream_status, event_utc_ts, name, description, score }: EventUpdate,
  version: number,
): Event {
  const { score: _, ...rest } = event;
  return { ...rest, stream_status, event_utc_ts, name, description, ...(score && { score }), version };
}

/** An answer that arrives late doesn't revert a newer update. */
function merge(byId: EventsState["byId"], events: readonly Event[]): EventsState["byId"] {
  const next: { [id: Id]: Event } = { ...byId };
  for (const event of events) {
    const now = next[event.id];
    next[event.id] = now !== undefined && now.version > event.version ? withUpdate(event, now, now.version) : event;
  }
  return next;
}

function trim(state: EventsState, retainedIds: readonly Id[]): EventsState {
  const lists = Object.entries(state.lists).slice(-MAX_LISTS);
  if (Object.keys(state.byId).length <= MAX_EVENTS) return { ...state, lists: Object.fromEntries(lists) };
  const displayed = new Set<Id>(retainedIds);
  for (const [, { ids }] of lists) for (const id of ids) displayed.add(id);
  for (const { ids } of state.rails) for (const id of ids) displayed.add(id);
  return {
    ...state,
    lists: Object.fromEntries(lists),
    byId: Object.fromEntries(Object.entries(state.byId).filter(([id]) => displayed.has(Number(id)))),
  };
}

function listed(state: EventsState, query: Query, events: readonly Event[], total: number): EventsState {
  const key = queryKey(query);
  const { [key]: _, ...others } = state.lists;
  const lists = { ...others, [key]: { ids: events.map(({ id }) => id), total } };
  return trim({ ...state, byId: merge(state.byId, events), lists }, []);
}

export const events = createSlice({
  name: "events",
  initialState: initialState as EventsState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(queryActions.loaded, (state, { payload }): EventsState => {
        const now = original(state) as EventsState;
        switch (payload.method) {
          case "api.listEvents":
          case "api.listFavouriteEvents":
          case "api.listEventsWithClip":
            return listed(now, payload, payload.answer.data, payload.answer.meta.total);
          case "api.search":
            return listed(now, payload, payload.answer.events.data, payload.answer.events.meta.total);
          case "api.listHomeRails":
            return trim(
              {
                ...now,
                byId: merge(
                  now.byId,
                  payload.answer.flatMap((rail) => rail.events),
                ),
                rails: payload.answer.map(({ id, title, total, events: displayed }) => ({
                  id,
                  title,
                  total,
                  ids: displayed.map((event) => event.id),
                })),
              },
              [],
            );
          case "api.getEvent":
            return trim({ ...now, byId: merge(now.byId, [payload.answer]) }, [payload.answer.id]);
          default:
            return now;
        }
      })
      // Lists skip ids without an event.
      .addCase(queryActions.failed, (state, { payload: { query, error } }) => {
        if (query.method === "api.getEvent" && isRemoved(error)) delete state.byId[query.args.id];
      })
      .addCase(connectionInputs.statusReceived, (state, { payload }): EventsState => {
        const now = original(state) as EventsState;
        const existing = now.byId[payload.id];
        if (payload.kind !== "event" || existing === undefined || payload.version <= existing.version) return now;
        // The channel's stream is the same for everyone, so it omits this viewer's access.
        return { ...now, byId: { ...now.byId, [existing.id]: withUpdate(existing, payload.state, payload.version) } };
      }),
});

export const selectEvent =
  (id: Id) =>
  ({ events: { byId } }: RootState): Event | null =>
    byId[id] ?? null;
export const selectEventsById = ({ events: { byId } }: RootState) => byId;
export const selectEventRails = ({ events: { rails } }: RootState): readonly EventRail[] => rails;
/** null: never read. */
export const selectEventList =
  (filter: EventFilter) =>
  ({ events: { lists } }: RootState): EventList | null =>
    lists[queryKey({ method: "api.listEvents", args: { filter } })] ?? null;
export const selectFavouriteEventList =
  (filter: EventFilter) =>
  ({ events: { lists } }: RootState): EventList | null =>
    lists[queryKey({ method: "api.listFavouriteEvents", args: { filter } })] ?? null;
/** Events that have clips; null: never read. */
export const selectClippedEventList =
  (filter: EventFilter) =>
  ({ events: { lists } }: RootState): EventList | null =>
    lists[queryKey({ method: "api.listEventsWithClip", args: { filter } })] ?? null;
