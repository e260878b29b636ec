import type {
  Event,
  EventCategory,
  EventFilter,
  EventLocation,
  Participant,
  ParticipantGroup,
} from "../../contracts/resources";
import { categoryPath } from "../eventViews";

/** Channel data that filters refer to. */
export interface FilterContext {
  readonly categories: readonly EventCategory[];
  readonly groups: readonly ParticipantGroup[];
  readonly locations: readonly EventLocation[];
}

/** A bound of a list in Unix milliseconds: the worker takes Unix seconds or a day. */
const boundOf = (value: string): number => (/^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value));

const hasProperty = ({ participants }: Event, name: "gender" | "sport", value: string): boolean =>
  participants.some(({ properties }: Participant) => properties[name] === value);

/** Whether an event matches one filter; null if only the channel knows. */
function matches(event: Event, name: string, value: string, context: FilterContext): boolean | null {
  const starts = event.event_utc_ts * 1_000;
  const location = context.locations.find(({ id }) => id === event.location_id);
  const isOfCategory = ({ id, alias }: EventCategory): boolean => alias === value || String(id) === value;
  switch (name) {
    case "limit":
    case "offset":
    case "sort_direction":
      return true;
    case "stream_status":
      return event.stream_status === value;
    case "gender":
    case "sport":
      return hasProperty(event, name, value);
    case "city":
    case "state":
      return location?.[name] === value;
    case "location":
      return String(event.location_id) === value;
    case "category":
    case "event_category_id":
      return categoryPath(context.categories, event.event_category_id).some(isOfCategory);
    case "participant":
      return event.participants.some(({ id }) => String(id) === value);
    case "group": {
      const group = context.groups.find(({ id, alias }) => alias === value || String(id) === value);
      return event.participants.some(({ group_id }) => group !== undefined && group_id === group.id);
    }
    case "start_date":
      return starts >= boundOf(value);
    case "end_date":
      return starts <= boundOf(value);
    default:
      return null;
  }
}

/**
 * Stored events that match the filter, for a list that can't be loaded offline (LIST-8). There may be others. Empty if a
 * filter needs the channel's answer.
 */
export function storedEvents(events: readonly Event[], filter: EventFilter, context: FilterContext): readonly Event[] {
  const filters = Object.entries(filter).filter(([, value]) => value !== undefined);
  const down = filter.sort_direction === "desc" || filter.stream_status === "finished" ? -1 : 1;
  return events
    .filter((event) => filters.every(([name, value]) => matches(event, name, String(value), context) === true))
    .sort((a, b) => down * (a.event_utc_ts - b.event_utc_ts) || a.id - b.id);
}
