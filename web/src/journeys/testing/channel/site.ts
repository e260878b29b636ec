import { categoryNamed, type Event, isWithin } from "./catalogue";
import { channelClock } from "./clock";
import { presentClip, presentEvent, presentVideo, statusAt, visibleClips } from "./presenter";
import { DONE, notFound, type Operations, personOf, type Request } from "./request";
import type { State } from "./state";

// The channel's public data: settings, catalogue, pages.

const byId = <T extends { id: number }>(list: readonly T[], id: string | undefined): T =>
  list.find((it) => it.id === Number(id)) ?? notFound();

type Fits = (event: Event, value: string, state: State) => boolean;

/** The events of a school, by its id or alias. */
const ofSchool: Fits = ({ participants }, value, { catalogue }) => {
  const school = catalogue.schools.find(({ id, alias }) => [String(id), alias].includes(value));
  return participants.some(({ group_id }) => group_id === school?.id);
};
const ofTeam: Fits = ({ participants }, value) =>
  participants.some(({ id, alias }) => [String(id), alias].includes(value));
const hasProperty =
  (name: string): Fits =>
  ({ participants }, value) =>
    participants.some(({ properties }) => (properties as { [name: string]: unknown } | undefined)?.[name] === value);
const ofCategory: Fits = (it, value) => isWithin(it.event_category_id, value.split(",").map(categoryNamed));
/** The events of venues that have this value. */
const atVenue =
  (name: "id" | "city" | "state"): Fits =>
  ({ location_id }, value, { catalogue }) =>
    catalogue.locations.some((venue) => venue.id === location_id && String(venue[name]) === value);

/** A bound of a list: Unix seconds, or a day. */
const secondsOf = (value: string): number => (/^\d+$/.test(value) ? Number(value) : Date.parse(value) / 1_000);

/** The filters of a list of events, by their names in the query. */
const FILTERS: { readonly [name: string]: Fits } = {
  stream_status: (it, value) => value.split(",").includes(it.stream_status),
  ids: (it, value) => value.split(",").includes(String(it.id)),
  event_category_id: ofCategory,
  category: ofCategory,
  location: atVenue("id"),
  city: atVenue("city"),
  state: atVenue("state"),
  // A pass covers neither events sold only individually nor free ones.
  package: (it, value, { catalogue }) =>
    it.access_type === "paid" &&
    isWithin(it.event_category_id, catalogue.packages.find(({ id }) => id === Number(value))?.event_categories ?? []),
  owned: (it) => it.has_access && ["paid", "ppv"].includes(it.access_type),
  text: (it, value) => it.name.toLowerCase().includes(value.toLowerCase()),
  start_date: (it, value) => it.event_utc_ts >= secondsOf(value),
  end_date: (it, value) => it.event_utc_ts <= secondsOf(value),
  sport: hasProperty("sport"),
  gender: hasProperty("gender"),
  participant: ofTeam,
  team: ofTeam,
  group: ofSchool,
  school: ofSchool,
};
/** Query parameters that don't filter events. */
const PAGING = [
  "api_key",
  "limit",
  "offset",
  "no_limit",
  "sort_field",
  "sort_direction",
  "type",
  "id",
  "promo_code",
  "q",
];

function eventsFor(request: Request): Event[] {
  const { query, state } = request;
  const filters = [...query].filter(([name]) => !PAGING.includes(name));
  for (const [name] of filters) if (!FILTERS[name]) throw new Error(`the fake channel has no filter ${name}`);
  const events = state.catalogue.events.map((event) => presentEvent(request, event));
  const found = events.filter((event) => filters.every(([name, value]) => FILTERS[name]?.(event, value, state)));
  const usual = query.get("stream_status") === "finished" ? "desc" : "asc";
  const down = (query.get("sort_direction") ?? usual) === "desc" ? -1 : 1;
  return found.sort((a, b) => down * (a.event_utc_ts - b.event_utc_ts) || a.id - b.id);
}

function homeRails(request: Request) {
  const events = eventsFor({ ...request, query: new URLSearchParams() });
  return (["live", "upcoming", "finished"] as const)
    .map((id) => {
      const all = events.filter(({ stream_status }) => stream_status === id);
      if (id === "finished") all.reverse();
      return { id, title: "", total: all.length, events: all.slice(0, 12) };
    })
    .filter(({ total }) => total > 0);
}

function packagesFor({ state, person }: Request) {
  const owned = state.orders.owned(person).filter(({ type }) => type === "package");
  return state.catalogue.packages.map((pass) => {
    const orders = owned.filter(({ product }) => product.id === pass.id);
    return {
      ...pass,
      disabled_categories: orders.length > 0 && !pass.is_team_pass ? pass.event_categories : [],
      disabled_participants: orders.flatMap(({ product }) => product.participant_id ?? []),
    };
  });
}

/** The live and upcoming contents of each pass, and for a team pass those of each of its teams. */
function packageContents({ state }: Request) {
  const now = channelClock.now() / 1_000;
  return state.catalogue.packages.flatMap(
    ({ id, is_team_pass, participants = [], period_days = Number.POSITIVE_INFINITY, event_categories }) => {
      const contents = (opens: (event: Event) => boolean, participant_id?: number) => {
        const events = state.catalogue.events.filter(
          (event) =>
            event.access_type === "paid" &&
            statusAt(event, now) !== "finished" &&
            event.event_utc_ts < now + period_days * 86_400 &&
            opens(event),
        );
        const singly = events.reduce((sum, { base_price, service_fee }) => sum + base_price + service_fee, 0);
        return { package_id: id, ...(participant_id && { participant_id }), events: events.length, singly };
      };
      return is_team_pass
        ? participants.map((id) => contents((event) => event.participants.some((team) => team.id === id), id))
        : [contents(({ event_category_id }) => isWithin(event_category_id, event_categories))];
    },
  );
}

const videosFor = (request: Request) => request.state.catalogue.videos.map((video) => presentVideo(request, video));

/** The videos of a category, or those whose title matches the query, newest first. */
function videosOf(request: Request) {
  const title = (request.query.get("title") ?? "").toLowerCase();
  const category = request.query.get("category_id");
  return videosFor(request)
    .filter((it) => it.title.toLowerCase().includes(title) && [null, String(it.category_id)].includes(category))
    .sort((a, b) => b.date.localeCompare(a.date) || b.id - a.id);
}

function favouriteEvents(request: Request): Event[] {
  const { favourites } = personOf(request);
  const idsOf = (type: string): number[] =>
    favourites.flatMap((it) => (it.favoritable_type === type ? [Number(it.favoritable_id)] : []));
  const [categories, teams, schools] = [idsOf("category"), idsOf("participant"), idsOf("group")];
  return eventsFor(request).filter(
    ({ participants, event_category_id }) =>
      isWithin(event_category_id, categories) ||
      participants.some(({ id, group_id }) => teams.includes(id) || schools.includes(Number(group_id))),
  );
}

/** Names that start with or contain the query. */
function search(request: Request) {
  const { query, state } = request;
  const terms = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: (string | undefined)[]): boolean => {
    const text = texts.join(" ").toLowerCase();
    return terms.length > 0 && terms.every((word) => text.includes(word));
  };
  const page = <T>(data: T[]) => ({ data, meta: { total: data.length, limit: data.length, offset: 0 } });
  const { teams, schools, pages } = state.catalogue;
  return {
    events: page(eventsFor({ ...request, query: new URLSearchParams() }).filter((it) => fits(it.name, it.description))),
    participants: page(teams.filter((it) => fits(it.name, it.short_name))),
    participant_groups: page(schools.filter((it) => fits(it.name, it.nickname))),
    vod_media_items: page(videosFor(request).filter((it) => fits(it.title, it.description))),
    pages: page(pages.filter((it) => fits(it.name))),
    clips: page(
      visibleClips({ state, person: null })
        .filter((it) => fits(it.name, ...it.tags))
        .map((clip) => presentClip(request, clip)),
    ),
  };
}

export const site: Operations = {
  "GET /api/settings": ({ state }) => state.catalogue.settings,
  "GET /api/color-settings/web": ({ state }) => state.catalogue.colors,
  "GET /api/menu": ({ state }) => state.catalogue.menu,
  "GET /api/popups": ({ state }) => state.catalogue.popups,
  "GET /api/channel-bootstrap-data": (request) => {
    const { categories, colors, locations, faq, menu, pages, schools, settings, slides, subscriptions, properties } =
      request.state.catalogue;
    return {
      "color-settings": colors,
      "events-categories": categories,
      "events-locations": locations,
      faq,
      menu,
      packages: packagesFor(request),
      pages,
      "participant-groups": schools,
      settings,
      slides,
      subscriptions,
      "participant-group-properties": properties,
    };
  },
  "GET /api/geo": ({ state: { geo, blockedCountries } }) => ({
    ...geo,
    is_geo_blocked: blockedCountries.includes(geo.country_code),
  }),
  "GET /api/pages": ({ state }) => state.catalogue.pages,
  "GET /api/pages/{id}": ({ state, params }) => byId(state.catalogue.pages, params.id),
  "GET /api/slides/web": ({ state }) => state.catalogue.slides,
  "GET /api/faq": ({ state }) => state.catalogue.faq,
  "GET /api/custom-forms/{alias}": ({ state, params }) =>
    state.catalogue.forms.find(({ alias }) => alias === params.alias) ?? notFound(),
  "POST /api/custom-forms/{alias}": ({ state, params, body }) => {
    state.forms.push({ alias: params.alias ?? "", answers: body.answers });
    return DONE;
  },
  "GET /api/participants": ({ state }) => state.catalogue.teams,
  "GET /api/participant-groups": ({ state }) => state.catalogue.schools,
  "GET /api/participant-group-properties": ({ state }) => state.catalogue.properties,
  "GET /api/events": eventsFor,
  "GET /api/events/starts": (request) => ({ starts: eventsFor(request).map(({ event_utc_ts }) => event_utc_ts) }),
  "GET /api/events/{id}": (request) => presentEvent(request, byId(request.state.catalogue.events, request.params.id)),
  "GET /api/events-categories": ({ state }) => state.catalogue.categories,
  "GET /api/events-locations": ({ state }) => state.catalogue.locations,
  "GET /api/events-for-homepage": homeRails,
  "GET /api/events/favorite": favouriteEvents,
  "GET /api/events/with_clip": (request) => {
    const clips = visibleClips(request);
    return eventsFor(request).filter(({ id }) => clips.some(({ event_id }) => event_id === id));
  },
  "GET /api/packages": packagesFor,
  "GET /api/packages/contents": packageContents,
  "GET /api/packages/{id}": (request) => byId(packagesFor(request), request.params.id),
  "GET /api/subscriptions": ({ state }) => state.catalogue.subscriptions,
  "GET /api/vod-media-items": videosOf,
  "GET /api/vod-media-items/{id}": (request) => byId(videosFor(request), request.params.id),
  "GET /api/vod-media-categories": ({ state }) => state.catalogue.videoCategories,
  "GET /api/vod-media-rails": (request) =>
    request.state.catalogue.videoRails.map(({ item_ids, ...rail }) => ({
      ...rail,
      vod_media_items: videosFor(request).filter(({ id }) => item_ids.includes(id)),
    })),
  "GET /api/vod-media/search": videosOf,
  "GET /api/search": search,
  "GET /api/shared-clip/{id}": (request) => {
    const clips = request.state.people.all.flatMap((person) => person.clips);
    const clip = clips.find(
      (one) => one.id === Number(request.params.id) && one.uuid === request.query.get("uuid") && one.is_hidden !== true,
    );
    return presentClip(request, clip ?? notFound());
  },
};
