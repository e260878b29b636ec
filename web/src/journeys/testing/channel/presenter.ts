import type { components } from "../../../contracts/generated/openapi";
import type { Event, SoldEvent, VodItem } from "./catalogue";
import { channelClock } from "./clock";
import type { Person } from "./people";
import type { Request } from "./request";

type Clip = components["schemas"]["Clip"];
type Media = components["schemas"]["Media"];
/** The viewer to whom a resource is presented. */
type Audience = Pick<Request, "state" | "person">;

// Events, videos and clips for one viewer, with their access, region and addresses.

/** Media types that play during the live event, and afterwards. */
export const LIVE = 2;
const RECORDING = 3;
/** Media types of images, whose addresses reveal no video. */
const PICTURES = [1, 5];

export const statusAt = ({ event_utc_ts, duration_s }: Event, now: number): Event["stream_status"] =>
  now < event_utc_ts ? "upcoming" : now < event_utc_ts + duration_s ? "live" : "finished";

const isBlocked = ({ state }: Audience, rules: string[] = []): boolean =>
  [...state.blockedCountries, ...rules].includes(state.geo.country_code);

/** Address of a public stream. */
export const openAddress = (mount: string): string => `/media/northfield/s/${mount}/open/v1/master.m3u8`;

function playableMedium(medium: Media, prefix: string, isOpen: boolean): Media {
  const address = isOpen ? { url: openAddress(`${prefix}${medium.id}`) } : { is_protected: true };
  return { is_clippable: true, is_downloadable: true, ...medium, ...address };
}

export function presentEvent(audience: Audience, event: SoldEvent): Event {
  const { geo, ...it } = event;
  const is_geo_blocked = isBlocked(audience, geo?.deny);
  const has_access = !is_geo_blocked && audience.state.orders.opens(audience.person, it);
  const stream_status = statusAt(it, channelClock.now() / 1_000);
  const playing = stream_status === "live" ? LIVE : stream_status === "finished" ? RECORDING : null;
  const isOpen = it.access_type === "free";
  const present = (medium: Media): Media => {
    if (medium.type === playing && has_access) return playableMedium(medium, playing === LIVE ? "l" : "e", isOpen);
    const { url: _, ...closed } = medium;
    return is_geo_blocked && !PICTURES.includes(medium.type) ? closed : medium;
  };
  return { ...it, has_access, ...(is_geo_blocked && { is_geo_blocked }), stream_status, media: it.media.map(present) };
}

export function presentVideo(audience: Audience, video: VodItem): VodItem {
  const { access_type, media } = video;
  const is_geo_blocked = isBlocked(audience);
  const { state, person } = audience;
  const isMember = person?.capabilities.includes("vod_media") ?? false;
  const isSubscribed = isMember && state.orders.owned(person).some(({ type }) => type === "subscription");
  const isOpen = access_type === "free";
  const opens = { free: true, register: isMember, paid: isSubscribed, ppv: isSubscribed };
  const has_access = !is_geo_blocked && opens[access_type];
  return {
    ...video,
    has_access,
    ...(is_geo_blocked && { is_geo_blocked }),
    ...(media && { media: has_access ? playableMedium(media, "v", isOpen) : media }),
  };
}

/** Whether the video of a clip is blocked in the viewer's region. */
const isClipBlocked = (audience: Audience, { event_id }: Clip): boolean =>
  isBlocked(audience, audience.state.catalogue.events.find(({ id }) => id === event_id)?.geo?.deny);

export function presentClip(audience: Audience, clip: Clip): Clip {
  const { events, videos } = audience.state.catalogue;
  const event = events.find(({ id }) => id === clip.event_id);
  const video = videos.find(({ id }) => id === clip.vod_id);
  const opens = clip.status === "ready" && !clip.is_hidden && !isClipBlocked(audience, clip);
  return {
    ...clip,
    ...(event && { event: presentEvent(audience, event) }),
    ...(video && { video: presentVideo(audience, video) }),
    ...(opens && { url: `/media/northfield/clips/${clip.uuid}/open/master.m3u8` }),
  };
}

/** Public clips and the viewer's own, newest first. */
export function visibleClips({ state, person }: { state: Request["state"]; person: Person | null }): Clip[] {
  const isVisible = (owner: Person, { status, visibility, is_hidden }: Clip): boolean =>
    status === "ready" && (owner === person || (visibility === "public" && !is_hidden));
  return state.people.all
    .flatMap((owner) => owner.clips.filter((clip) => isVisible(owner, clip)))
    .toSorted((a, b) => b.id - a.id);
}
