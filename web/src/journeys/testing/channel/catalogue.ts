import categories from "../../../../../fixtures/channels/northfield/categories.json";
import channel from "../../../../../fixtures/channels/northfield/channel.json";
import colors from "../../../../../fixtures/channels/northfield/colors.json";
import events from "../../../../../fixtures/channels/northfield/events.json";
import faq from "../../../../../fixtures/channels/northfield/faq.json";
import forms from "../../../../../fixtures/channels/northfield/forms.json";
import properties from "../../../../../fixtures/channels/northfield/group-properties.json";
import groups from "../../../../../fixtures/channels/northfield/groups.json";
import locations from "../../../../../fixtures/channels/northfield/locations.json";
import menu from "../../../../../fixtures/channels/northfield/menu.json";
import packages from "../../../../../fixtures/channels/northfield/packages.json";
import pages from "../../../../../fixtures/channels/northfield/pages.json";
import participants from "../../../../../fixtures/channels/northfield/participants.json";
import popups from "../../../../../fixtures/channels/northfield/popups.json";
import prerolls from "../../../../../fixtures/channels/northfield/prerolls.json";
import settings from "../../../../../fixtures/channels/northfield/settings.json";
import slides from "../../../../../fixtures/channels/northfield/slides.json";
import subscriptions from "../../../../../fixtures/channels/northfield/subscriptions.json";
import vod from "../../../../../fixtures/channels/northfield/vod.json";
import type { components } from "../../../contracts/generated/openapi";
import { channelClock } from "./clock";

type Schemas = components["schemas"];
export type Event = Schemas["Event"];
export type Package = Schemas["Package"];
export type Subscription = Schemas["Subscription"];
type Participant = Schemas["Participant"];
type ParticipantGroup = Schemas["ParticipantGroup"];
export type VodItem = Schemas["VodMediaItem"];

// The demo channel's folder in the API document's terms. A channel has a copy of the catalogue, so a journey may change
// it.

const media = (path: string): string => `/media/northfield/${path}`;
const pictured = <T extends { images: string[] }>(it: T): T => ({ ...it, images: it.images.map(media) });
const priced = <T extends { base_price: number; service_fee: number }>(it: T) => ({
  ...it,
  price: it.base_price + it.service_fee,
  currency: "USD",
});

interface Category {
  id: number;
  alias: string;
  children: Category[];
}
const ancestors = new Map<number, number[]>();
const aliases = new Map<string, number>();
(function walk(list: Category[], above: number[]): void {
  for (const { id, alias, children } of list) {
    ancestors.set(id, [...above, id]);
    aliases.set(alias, id);
    walk(children, [...above, id]);
  }
})(categories as unknown as Category[], []);

/** Whether a category is one of `ids` or a descendant. */
export const isWithin = (category: number, ids: readonly number[]): boolean =>
  (ancestors.get(category) ?? []).some((id) => ids.includes(id));

/** The id of a category given by id or alias. */
export const categoryNamed = (name: string): number => aliases.get(name) ?? Number(name);

const TWO = "2-digit";
const PARTS = { year: "numeric", month: TWO, day: TWO, hour: TWO, minute: TWO, second: TWO } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

function wallClock(timeZone: string, seconds: number): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("sv", { timeZone, ...PARTS });
  // Creating one is slow.
  formats.set(timeZone, format);
  return Date.parse(`${format.format(seconds * 1_000)}Z`) / 1_000;
}

interface Timed {
  starts_in_s?: number;
  starts_on?: { day: number; time: string };
  time_zone: string;
}

/** An event's start: relative to the demo's own start, or on a later day at a time in the event's zone. */
function startOf({ starts_in_s = 0, starts_on, time_zone }: Timed, anchor: number): number {
  if (starts_on === undefined) return anchor + starts_in_s;
  const [hours = 0, minutes = 0] = starts_on.time.split(":").map(Number);
  const today = wallClock(time_zone, anchor);
  const wanted = today - (today % 86_400) + starts_on.day * 86_400 + hours * 3_600 + minutes * 60;
  // The zone's offset may differ on that day.
  const near = wanted - (wallClock(time_zone, wanted) - wanted);
  return wanted - (wallClock(time_zone, near) - near);
}

type Rules = { geo?: { deny?: string[] } };
/** An event with its channel-internal fields. */
export type SoldEvent = Event & Rules;

/** Media types of a still and of a preview, whose addresses are public. */
const STILL = 5;
const PREVIEW = 6;

export function createCatalogue() {
  const anchor = Math.floor(channelClock.now() / 900_000) * 900;
  const teams: Participant[] = participants.map((it) => pictured(it) as unknown as Participant);
  const schools: ParticipantGroup[] = groups.map((it) => pictured(it) as unknown as ParticipantGroup);

  const listed: SoldEvent[] = events.map((event) => {
    const {
      starts_in_s: _,
      starts_on: __,
      participant_ids = [],
      media: list = [],
      ...rest
    } = event as typeof event & Timed & { media: { id: number; type: number; path: string; duration_s?: number }[] };
    return {
      ...rest,
      has_access: false,
      event_utc_ts: startOf(event as Timed, anchor),
      stream_status: "upcoming",
      currency: "USD",
      participants: participant_ids.map((id) => teams.find((team) => team.id === id)).filter(Boolean),
      media: list.map(({ path, duration_s = 0, ...it }) => ({
        ...it,
        duration_s,
        ...(it.type === STILL && { url: media(path) }),
        ...(it.type === PREVIEW && { url: media(`s/e${it.id}/open/v1/master.m3u8`) }),
      })),
      version: 1,
    } as unknown as SoldEvent;
  });

  const videos: VodItem[] = vod.items.map(({ days_ago, media: video, assets, ...rest }) => ({
    ...rest,
    date: new Date(channelClock.now() - days_ago * 86_400_000).toISOString(),
    has_access: false,
    assets: assets.map((it) => ({ ...it, path: media(it.path) })),
    media: { id: video.id, type: video.type, duration_s: video.duration_s },
  })) as unknown as VodItem[];

  const { static_blocks, ...site } = settings;
  return structuredClone({
    accounts: channel.demo_accounts,
    coupons: channel.coupons as { code: string; percent?: number; amount?: number }[],
    categories,
    colors,
    events: listed,
    faq,
    forms: forms.map((form) => ({ ...form, fields: form.fields.map((it) => ({ options: [], ...it })) })),
    locations,
    menu: {
      ...menu,
      groups: schools.map(({ id, name, alias, images }) => ({ id, name, alias, images })),
      participants: teams.map(({ id, name, alias, images }) => ({ id, name, alias, images })),
    },
    packages: packages.map((it) => priced({ participants: [], ...it })) as unknown as Package[],
    pages,
    popups,
    properties,
    schools,
    settings: {
      ...site,
      static_blocks,
      logo: media(settings.logo),
      prerolls: prerolls.map(({ path: _, ...spot }) => ({ ...spot, url: media(`s/p${spot.id}/open/v1/master.m3u8`) })),
      sandbox_payments: true,
    } as { [name: string]: unknown },
    slides: slides.map((it) => ("image" in it ? { ...it, image: media(String(it.image)) } : it)),
    subscriptions: subscriptions.map(priced) as unknown as Subscription[],
    teams,
    videoCategories: vod.categories,
    videoRails: vod.rails as { id: number; title: string; item_ids: number[] }[],
    videos,
  });
}

export type Catalogue = ReturnType<typeof createCatalogue>;
