import type { StreamStatus } from "../contracts/resources";
import type { ResourceStatus } from "../contracts/sync";
import { SECOND } from "../lib/time";
import type { RootState } from "../slices/index";
import { type Query, queryKey, type ReadMethod } from "../slices/queries";

/** Reads that contain events' statuses or start times. */
export const EVENT_LISTS: ReadonlySet<ReadMethod> = new Set<ReadMethod>([
  "api.listEvents",
  "api.listFavouriteEvents",
  "api.listEventStarts",
  "api.listHomeRails",
]);

/** A channel notifies all its viewers at once: their pages reread within this time, each at a random moment. */
export const REREAD_WINDOW = 5 * SECOND;

/** The home page's rails that are named after a status. */
const RAILS: readonly string[] = ["live", "upcoming", "finished"] satisfies StreamStatus[];

/** The status common to a list's events; undefined if they may have any. */
const statusOf = ({ args }: Query) => ("filter" in args ? args.filter.stream_status : undefined);

/**
 * Whether a visible list has an event under another status than the stream reports. Only then is it reread: a score
 * alone moves no event.
 */
export function isMisplaced(
  state: RootState,
  displayed: readonly Query[],
  reported: readonly ResourceStatus[],
): boolean {
  const { lists, rails } = state.events;
  return reported.some((status) => {
    if (status.kind !== "event") return false;
    const { stream_status } = status.state;
    return displayed.some((query) => {
      if (query.method === "api.listHomeRails")
        return rails.some(({ id, ids }) => id !== stream_status && RAILS.includes(id) && ids.includes(status.id));
      const streamStatus = statusOf(query);
      return (
        streamStatus !== undefined &&
        streamStatus !== stream_status &&
        lists[queryKey(query)]?.ids.includes(status.id) === true
      );
    });
  });
}
