import type { Event, EventCategory, Id, ParticipantGroup } from "../contracts/resources";
import { selectCategories } from "../slices/catalogue";
import { selectClip } from "../slices/clips";
import { selectEvent } from "../slices/events";
import type { RootState } from "../slices/index";
import type { Playable } from "../slices/player";
import { selectVodCategories, selectVodItem } from "../slices/vod";

/** The watched content, beside the playing media. */
export type Content = {
  readonly content_type: Playable["kind"];
  readonly content_id: string;
  /** The event itself, or the one a clip was cut from; absent for a library video. */
  readonly content_event_id: string | null;
};

export const eventContent = (id: Id): Content => ({
  content_type: "event",
  content_id: String(id),
  content_event_id: String(id),
});

export const vodContent = (id: Id): Content => ({
  content_type: "vod",
  content_id: String(id),
  content_event_id: null,
});

export const contentOf =
  ({ kind, id }: Playable) =>
  (state: RootState): Content => {
    if (kind === "event") return eventContent(id);
    if (kind === "vod") return vodContent(id);
    const event_id = selectClip(id)(state)?.event_id;
    return {
      content_type: kind,
      content_id: String(id),
      content_event_id: event_id === undefined ? null : String(event_id),
    };
  };

/** ANA-2: the dimensions of watch time. */
export type ViewingFacts = {
  readonly category: string | null;
  readonly sport: string | null;
  readonly gender: string | null;
  readonly school: string | null;
  readonly league: string | null;
};

const NOTHING: ViewingFacts = { category: null, sport: null, gender: null, school: null, league: null };

/** A clip has its event's facts; a library video has its category, once read. */
export const viewingFacts =
  (view: Playable) =>
  (state: RootState): ViewingFacts => {
    if (view.kind === "vod") return { ...NOTHING, category: libraryCategory(view.id, state) };
    const event = watchedEvent(view, state);
    return event === null ? NOTHING : factsOf(event, state);
  };

function watchedEvent({ kind, id }: Playable, state: RootState): Event | null {
  if (kind === "event") return selectEvent(id)(state);
  const clip = selectClip(id)(state);
  if (clip === null) return null;
  return clip.event ?? (clip.event_id === undefined ? null : selectEvent(clip.event_id)(state));
}

function libraryCategory(id: Id, state: RootState): string | null {
  const item = selectVodItem(id)(state);
  return selectVodCategories(state).find((category) => category.id === item?.category_id)?.title ?? null;
}

/** The home team represents both; without one, the last team, since the away team comes first. */
function factsOf({ participants, home_team_id, event_category_id }: Event, state: RootState): ViewingFacts {
  const home = participants.find(({ id }) => id === home_team_id) ?? participants.at(-1);
  const category = findCategory(selectCategories(state), event_category_id);
  const school = schoolOf(home?.group_id, state);
  return {
    category: category?.name ?? null,
    sport: home?.properties.sport ?? category?.sport ?? null,
    gender: home?.properties.gender ?? null,
    school: school?.name ?? null,
    league: home?.properties.league ?? school?.properties.league ?? null,
  };
}

const schoolOf = (group_id: Id | undefined, { catalogue }: RootState): ParticipantGroup | undefined =>
  catalogue.bootstrap?.["participant-groups"].find(({ id }) => id === group_id);

function findCategory(tree: readonly EventCategory[], id: Id): EventCategory | undefined {
  for (const node of tree) {
    const found = node.id === id ? node : findCategory(node.children, id);
    if (found) return found;
  }
  return undefined;
}
