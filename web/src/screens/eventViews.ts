import { useMemo } from "react";
import type { EventView, Offer } from "../components/event/eventView";
import type { Title } from "../components/event/FixtureName";
import { type Floor, floorOf } from "../components/picture/floor";
import type { Picture, Side } from "../components/picture/Poster";
import type { Event, EventCategory, EventLocation, Id, Participant } from "../contracts/resources";
import type { Formats } from "../i18n/format";
import type { Translate } from "../i18n/texts";
import { useFormats } from "../i18n/useFormats";
import { useTexts } from "../i18n/useTexts";
import { capital } from "../lib/capital";
import { isolated } from "../lib/isolated";
import { linkTo } from "../navigation";
import { selectLoggedIn } from "../slices/auth";
import { selectCategories, selectLocations } from "../slices/catalogue";
import { selectOnline } from "../slices/network";
import { type PositionsState, subjectOf, watchedShare } from "../slices/positions";
import { selectPreference } from "../slices/preferences";
import { selectGeoBlocked } from "../slices/user";
import { useAppSelector } from "./state";
import { usePositions } from "./usePositions";

/** The preference to hide scores (SCORE-2). */
export const HIDE_SCORES = "hide_scores";

/** Media codes of the contract (EVENT-3). */
export const MEDIA = {
  image: 1,
  live: 2,
  vod: 3,
  embedded: 4,
  thumbnails: 5,
  preview: 6,
  previewAlt: 7,
  embeddedPreview: 8,
} as const;

/** Context for an event's texts and button. */
export interface ViewContext {
  readonly categories: readonly EventCategory[];
  readonly locations: readonly EventLocation[];
  readonly loggedIn: boolean;
  readonly geoBlocked: boolean;
  readonly online: boolean;
  readonly positions: PositionsState;
  /** The channel's key. */
  readonly channel: string;
  readonly hidesScores: boolean;
  readonly formats: Formats;
  readonly t: Translate;
}

/** The path from the top category (the sport) to the first match; empty if there is none. */
function pathOfCategory(
  tree: readonly EventCategory[],
  matches: (category: EventCategory) => boolean,
): readonly EventCategory[] {
  for (const category of tree) {
    if (matches(category)) return [category];
    const below = pathOfCategory(category.children, matches);
    if (below.length > 0) return [category, ...below];
  }
  return [];
}

/** The path from the top category to `id`. */
export const categoryPath = (tree: readonly EventCategory[], id: Id): readonly EventCategory[] =>
  pathOfCategory(tree, (category) => category.id === id);

/** The path to a category that a link names by alias or id (NAV-8). */
export const namedCategory = (tree: readonly EventCategory[], value: string): readonly EventCategory[] =>
  pathOfCategory(tree, ({ id, alias }) => alias === value || String(id) === value);

/** A category's label: "Hockey · Women’s". */
export const nameOfPath = (path: readonly EventCategory[]): string => path.map(({ name }) => name).join(" · ");

function sideOf(team: Participant): Side {
  return { id: team.id, name: team.short_name || team.name, color: team.color, crest: team.images[0] ?? null };
}

/** An event's teams. Of two, the home team comes second, whatever the channel's order (EVENT-2). */
export function teamsOf({
  participants,
  home_team_id,
}: Pick<Event, "home_team_id" | "participants">): readonly Participant[] {
  const [first, second] = participants;
  const isTurned = first && second && participants.length === 2 && first.id === home_team_id;
  return isTurned ? [second, first] : participants;
}

/** "away short name @ home short name" for two sides, otherwise the event's name (EVENT-2). */
export function titleOf(event: Pick<Event, "home_team_id" | "name" | "participants">): Title {
  const [away, home] = teamsOf(event);
  if (!away || !home || event.participants.length !== 2) return event.name;
  return { away: away.short_name, home: home.short_name };
}

/** "Women’s basketball" (EVENT-5) */
function kindOf(event: Event, sport: string, t: Translate): string {
  const genders = new Set(event.participants.map(({ properties }) => properties.gender));
  const gender = genders.size === 1 ? [...genders][0] : undefined;
  if (sport === "" || (gender !== "male" && gender !== "female")) return sport;
  return capital(t(`event.gender.${gender}`, { sport: sport.toLocaleLowerCase() }));
}

/** An event's picture: a photograph if available, otherwise the fixture, or a single figure without two sides. */
export function pictureOf(event: Event, floor: Floor): Picture {
  const [away, home] = teamsOf(event);
  const drawing: Exclude<Picture, { kind: "photo" }> =
    away && home
      ? { kind: "fixture", floor, away: sideOf(away), home: sideOf(home) }
      : { kind: "figure", floor, figure: capital(event.name).slice(0, 1), color: away?.color ?? "#2d3340" };
  const photo = event.media.find(({ type, url }) => type === MEDIA.image && url);
  return photo?.url === undefined
    ? drawing
    : { kind: "photo", url: photo.url, facts: photo.picture, fallback: drawing };
}

/** An event's offer, which determines its button (EVENT-4). */
function offerOf(event: Event, { loggedIn, geoBlocked, online, formats }: ViewContext): Offer {
  // The event's flag is as of its load; the whole channel may be blocked at the viewer's current location.
  if (geoBlocked || event.is_geo_blocked) return { kind: "blocked" };
  if (!online && event.stream_status !== "upcoming") return { kind: "offline" };
  if (event.has_access) {
    if (event.access_type === "free") return { kind: "free" };
    return event.access_type === "register" ? { kind: "watch" } : { kind: "owned" };
  }
  const price = event.single_event_package_id === undefined ? null : formats.money(event.base_price, event.currency);
  if (!loggedIn) return event.access_type === "register" ? { kind: "register" } : { kind: "login", price };
  return { kind: "buy", price };
}

export function eventView(event: Event, context: ViewContext): EventView {
  const [sport] = categoryPath(context.categories, event.event_category_id);
  const location = context.locations.find(({ id }) => id === event.location_id);
  return {
    id: event.id,
    to: linkTo("watch", { id: event.id }),
    title: titleOf(event),
    kind: kindOf(event, sport?.name ?? "", context.t),
    location: location ? `${isolated(location.city)} ${location.state}` : "",
    venue: location?.name ?? "",
    status: event.stream_status,
    startsAt: event.event_utc_ts * 1_000,
    endsAt: (event.event_utc_ts + event.duration_s) * 1_000,
    calendarId: `event-${event.id}@${context.channel}`,
    picture: pictureOf(event, floorOf(sport?.sport || sport?.name)),
    sides: teamsOf(event).map(sideOf),
    offer: offerOf(event, context),
    ...(event.score && { score: { ...event.score, hidden: context.hidesScores } }),
    duration: event.media.find(({ type }) => type === MEDIA.vod)?.duration_s ?? null,
    watched: watchedShare(context.positions[subjectOf({ kind: "event", id: event.id })]),
  };
}

/** Returns a function that creates views with the current context. */
export function useEventView(): (event: Event) => EventView {
  const { t } = useTexts();
  const formats = useFormats();
  const categories = useAppSelector(selectCategories);
  const locations = useAppSelector(selectLocations);
  const loggedIn = useAppSelector(selectLoggedIn);
  const geoBlocked = useAppSelector(selectGeoBlocked);
  const online = useAppSelector(selectOnline);
  const positions = usePositions();
  const channel = useAppSelector(({ site }) => site.channel);
  const hidesScores = useAppSelector(selectPreference(HIDE_SCORES)) === "1";
  return useMemo(() => {
    const context = {
      categories,
      locations,
      loggedIn,
      geoBlocked,
      online,
      positions,
      channel,
      hidesScores,
      formats,
      t,
    };
    return (event) => eventView(event, context);
  }, [categories, locations, loggedIn, geoBlocked, online, positions, channel, hidesScores, formats, t]);
}
