import type { EventCategory, EventFilter, EventLocation, StreamStatus } from "../../contracts/resources";
import { idOf } from "../../navigation";
import { dayNamed, daysLater, startOf } from "./dates";

/** Filters of the list (LIST-3), stored in the query. */
export const FILTERS = ["gender", "sport", "city", "state"] as const;
export type FilterKey = (typeof FILTERS)[number];
/** Filters set by links from other pages, until the viewer removes them. */
export const SUBJECTS = ["team", "school", "division", "package"] as const;

/**
 * The tab of an address (LIST-1, LIST-4, LIST-6). `all`: every event, by day; `user`: events of favourites; `passes`:
 * events included in the viewer's purchases.
 */
export type Tab = StreamStatus | "all" | "user" | "passes";

/** Events per press of "Show more". */
export const PAGE = 48;
/** The archive's start, from which on-demand lists begin (LIST-5). */
export const ARCHIVE_START = "2022-08-01";

/** The tab of an address: `/schedule`, `/live`, `/vod` and `/upcoming`, or `?tab=`. */
export function tabOf(path: string, params: URLSearchParams): Tab {
  const tab = params.get("tab");
  if (tab === "user" || tab === "passes") return tab;
  if (path.startsWith("/schedule")) return "all";
  if (path.startsWith("/live")) return "live";
  return path.startsWith("/vod") ? "finished" : "upcoming";
}

export const PATHS: { readonly [T in StreamStatus | "all"]: string } = {
  all: "/schedule",
  live: "/live",
  upcoming: "/upcoming",
  finished: "/vod",
};

/** The address of a tab with the current filters. */
export function tabLink(tab: Tab, params: URLSearchParams): string {
  const next = new URLSearchParams();
  for (const key of [...FILTERS, ...SUBJECTS]) {
    const value = params.get(key);
    if (value) next.set(key, value);
  }
  if (tab === "user" || tab === "passes") next.set("tab", tab);
  const path = tab === "user" || tab === "passes" ? PATHS.upcoming : PATHS[tab];
  const query = next.toString();
  return query === "" ? path : `${path}?${query}`;
}

/** Event states of a tab in display order; `undefined` for any. */
export function statusesOf(tab: Tab): readonly (StreamStatus | undefined)[] {
  if (tab === "all") return [undefined];
  return tab === "user" || tab === "passes" ? ["live", "upcoming", "finished"] : [tab];
}

/** Whether a tab has days: those of one state, and all. */
export const hasDays = (tab: Tab): boolean => tab === "all" || tab === "upcoming" || tab === "finished";

/** Unix seconds, the worker's date format. */
const seconds = (ms: number) => String(Math.floor(ms / 1_000));

/** The request filter for one part of a tab's list. */
export function filterOf(
  tab: Tab,
  stream_status: StreamStatus | undefined,
  params: URLSearchParams,
  limit: number,
  offset: number,
): EventFilter {
  const filter: EventFilter = { limit, offset, ...(stream_status && { stream_status }) };
  if (tab === "passes") filter.owned = 1;
  for (const key of FILTERS) {
    const value = params.get(key);
    if (value) filter[key] = value;
  }
  const category = Number(params.get("event_category_id") ?? params.get("category_id"));
  // A division is a category below a sport, named by alias or id, and takes precedence over the sport (NAV-8).
  const division = params.get("division");
  if (division) filter.category = division;
  else if (Number.isSafeInteger(category) && category > 0) filter.event_category_id = category;
  const team = idOf(params.get("team") ?? params.get("participant_id"));
  if (team !== null) filter.participant = team;
  const school = params.get("school") ?? params.get("group");
  if (school) filter.group = school;
  const pass = idOf(params.get("package"));
  if (pass !== null) filter.package = pass;
  const location = Number(params.get("location"));
  if (Number.isSafeInteger(location) && location > 0) filter.location = location;
  if (stream_status === "finished") {
    filter.start_date = ARCHIVE_START;
    filter.sort_direction = "desc";
  }
  const day = hasDays(tab) ? dayNamed(params.get("date")) : null;
  // Finished events are listed backwards from the day, all others forwards.
  if (day !== null && tab === "finished") filter.end_date = seconds(startOf(daysLater(day, 1)) - 1);
  else if (day !== null) filter.start_date = seconds(startOf(day));
  return filter;
}

/** The request filter for a whole tab, on any day. */
export function wholeFilter(tab: Tab, params: URLSearchParams): EventFilter {
  const others = new URLSearchParams(params);
  others.delete("date");
  const { limit: _, offset: __, sort_direction: ___, ...filter } = filterOf(tab, statusesOf(tab)[0], others, PAGE, 0);
  return filter;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const sorted = (values: Iterable<string>): Option[] =>
  [...new Set(values)]
    .filter(Boolean)
    .sort((a, b) => a.localeCompare(b))
    .map((value) => ({ value, label: value }));

/** Options of each filter, from the channel's data. A selected state limits the cities. */
export function optionsOf(
  key: FilterKey,
  categories: readonly EventCategory[],
  locations: readonly EventLocation[],
  params: URLSearchParams,
  genders: readonly Option[],
): readonly Option[] {
  switch (key) {
    case "gender":
      return genders;
    case "sport":
      return categories.map(({ sport, name }) => ({ value: sport, label: name }));
    case "state":
      return sorted(locations.map(({ state }) => state));
    case "city": {
      const state = params.get("state");
      return sorted(locations.filter((place) => !state || place.state === state).map(({ city }) => city));
    }
    default:
      return key satisfies never;
  }
}
