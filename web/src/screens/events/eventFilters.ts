import type { EventCategory, EventFilter, EventLocation, StreamStatus } from "../../contracts/resources";

/** What the list can be filtered by (LIST-3); the query of its address holds what is set. */
export const FILTERS = ["gender", "sport", "city", "state"] as const;
export type FilterKey = (typeof FILTERS)[number];

/** Which tab an address opens (LIST-1, LIST-4). `user`: events of favourites; `passes`: those that a pass or a purchase opens. */
export type Tab = StreamStatus | "user" | "passes";

/** How many events a press on "Show more" brings. */
export const PAGE = 24;
/** On-demand listings begin here: the archive's start (LIST-5). */
export const ARCHIVE_START = "2022-08-01";

/** The tab of an address: `/live`, `/vod`, `/upcoming` and `/schedule`, or `?tab=`. */
export function tabOf(path: string, params: URLSearchParams): Tab {
  const tab = params.get("tab");
  if (tab === "user" || tab === "passes") return tab;
  if (path.startsWith("/live")) return "live";
  return path.startsWith("/vod") ? "finished" : "upcoming";
}

export const PATHS: { readonly [T in StreamStatus]: string } = {
  live: "/live",
  upcoming: "/upcoming",
  finished: "/vod",
};

/** The address of a tab with the filters that are set now. */
export function tabLink(tab: Tab, params: URLSearchParams): string {
  const next = new URLSearchParams();
  for (const key of FILTERS) {
    const value = params.get(key);
    if (value) next.set(key, value);
  }
  if (tab === "user" || tab === "passes") next.set("tab", tab);
  const path = tab === "user" || tab === "passes" ? PATHS.upcoming : PATHS[tab];
  const query = next.toString();
  return query === "" ? path : `${path}?${query}`;
}

/** The states of the events of a tab, in the order in which they are shown. */
export const statusesOf = (tab: Tab): readonly StreamStatus[] =>
  tab === "user" || tab === "passes" ? ["live", "upcoming", "finished"] : [tab];

/** The filter of one part of a tab's list. */
export function filterOf(
  tab: Tab,
  stream_status: StreamStatus,
  params: URLSearchParams,
  limit: number,
  offset: number,
): EventFilter {
  const filter: EventFilter = { limit, offset, stream_status };
  if (tab === "passes") filter.owned = 1;
  for (const key of FILTERS) {
    const value = params.get(key);
    if (value) filter[key] = value;
  }
  const category = Number(params.get("event_category_id") ?? params.get("category_id"));
  if (Number.isSafeInteger(category) && category > 0) filter.event_category_id = category;
  const location = Number(params.get("location"));
  if (Number.isSafeInteger(location) && location > 0) filter.location = location;
  if (stream_status === "finished") {
    filter.start_date = ARCHIVE_START;
    filter.sort_direction = "desc";
  }
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

/** What may be chosen for each filter: what the channel has. A chosen state leaves its own cities. */
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
