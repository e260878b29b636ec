import type { Event, EventFilter, StreamStatus } from "../../contracts/resources";
import { selectEventList, selectEventsById } from "../../slices/events";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { useStoredEvents } from "./useStoredEvents";

export interface StatusEvents {
  readonly events: readonly Event[];
  /** null if unknown. */
  readonly total: number | null;
  readonly done: boolean;
  /** The list was never loaded and can't be now. */
  readonly failed: boolean;
  readonly retry: () => void;
}

/** The first events of a status that match a filter; offline those that are stored. */
export function useStatus(filter: EventFilter, stream_status: StreamStatus, limit: number): StatusEvents {
  const query = { method: "api.listEvents", args: { filter: { ...filter, stream_status, limit } } } as const;
  const { at, retry } = useRead(query);
  const list = useAppSelector(selectEventList(query.args.filter));
  const byId = useAppSelector(selectEventsById);
  const stored = useStoredEvents(query.args.filter, at);
  const listed = list?.ids.flatMap((id) => byId[id] ?? []);
  return {
    events: (listed ?? stored.slice(0, limit)).filter((event) => event.stream_status === stream_status),
    total: list?.total ?? null,
    done: at === "loaded" || at === "failed" || list !== null,
    failed: at === "failed" && list === null,
    retry,
  };
}
