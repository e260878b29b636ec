import type {
  ContentPage,
  Event,
  Participant,
  ParticipantGroup,
  SearchResults,
  VodItem,
} from "../../contracts/resources";
import { folded } from "../../lib/folded";

/** The channel's data on this device. */
export interface StoredData {
  readonly events: readonly Event[];
  readonly participants: readonly Participant[];
  readonly groups: readonly ParticipantGroup[];
  readonly videos: readonly VodItem[];
  readonly pages: readonly ContentPage[];
}

/** Maximum number of results per type, as of the worker. */
const MAX_RESULTS = 24;

/** A search of the stored data, for a page without a connection (SEARCH-3). Clips aren't stored. */
export function storedResults({ events, participants, groups, videos, pages }: StoredData, query: string) {
  const terms = folded(query).split(/\s+/).filter(Boolean);
  const matching = <T>(items: readonly T[], textsOf: (item: T) => readonly string[]) => {
    const found = items.filter((item) => {
      const text = folded(textsOf(item).join(" "));
      return terms.every((term) => text.includes(term));
    });
    return { data: found.slice(0, MAX_RESULTS), meta: { total: found.length, limit: MAX_RESULTS, offset: 0 } };
  };
  const newest = events.toSorted((a, b) => b.event_utc_ts - a.event_utc_ts || a.id - b.id);
  return {
    events: matching(newest, ({ name, description, participants: teams }) => [
      name,
      description,
      ...teams.map((team) => team.name),
    ]),
    participants: matching(participants, ({ name, short_name }) => [name, short_name]),
    participant_groups: matching(groups, ({ name, nickname }) => [name, nickname]),
    vod_media_items: matching(videos, ({ title, description }) => [title, description]),
    clips: matching([], () => []),
    pages: matching(pages, ({ name }) => [name]),
  } satisfies SearchResults;
}
