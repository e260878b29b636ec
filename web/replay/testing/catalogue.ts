import { readFileSync } from "node:fs";
import type {
  Bootstrap,
  ContentPage,
  Event,
  HomeRail,
  Media,
  Package,
  Participant,
  Popup,
  Subscription,
  VodItem,
  VodRail,
} from "../../src/contracts/resources";

/** The demo channels of recorded sessions. */
export type ChannelKey = "northfield" | "laurentides";

/** A channel's data at one moment: its demo folder, as the worker would present it. */
export interface Catalogue {
  readonly bootstrap: Bootstrap;
  readonly participants: Participant[];
  readonly events: Event[];
  readonly rails: HomeRail[];
  readonly popups: Popup[];
  readonly pages: ContentPage[];
  readonly vod: VodItem[];
  readonly vodRails: VodRail[];
  readonly vodCategories: { id: number; title: string }[];
}

/** Number of events per channel: a log should be small enough to read. */
const EVENTS = 9;

interface EventRecord extends Omit<Event, "event_utc_ts" | "participants" | "media" | "has_access" | "stream_status"> {
  starts_in_s?: number;
  starts_on?: { day: number; time: string };
  participant_ids: number[];
  media: { id: number; type: Media["type"]; path: string; duration_s?: number }[];
}

interface VodRecord extends Omit<VodItem, "date" | "has_access" | "media"> {
  days_ago: number;
  media: { id: number; type: Media["type"]; path: string; duration_s: number };
}

const cache = new Map<string, Catalogue>();

/** A demo channel; its events are scheduled around `at`, in Unix milliseconds. */
export function readCatalogue(channel: ChannelKey, at: number): Catalogue {
  const key = `${channel}/${at}`;
  const catalogue = cache.get(key) ?? layOut(channel, at);
  cache.set(key, catalogue);
  return catalogue;
}

/** An event's start, in Unix seconds: the demo gives it relative to the worker's first start, here `at`. */
function startOf({ starts_in_s = 0, starts_on, time_zone }: EventRecord, at: number): number {
  if (starts_on === undefined) return at + starts_in_s;
  const clock = (seconds: number) =>
    Date.parse(`${new Date(seconds * 1000).toLocaleString("sv", { timeZone: time_zone })}Z`) / 1000;
  const [hours = 0, minutes = 0] = starts_on.time.split(":").map(Number);
  const wanted = clock(at) - (clock(at) % 86_400) + starts_on.day * 86_400 + hours * 3_600 + minutes * 60;
  return wanted - (clock(wanted) - wanted);
}

function layOut(channel: ChannelKey, at: number): Catalogue {
  const folder = new URL(`../../../fixtures/channels/${channel}/`, import.meta.url);
  const read = <T>(file: string): T => JSON.parse(readFileSync(new URL(`${file}.json`, folder), "utf8")) as T;
  const media = (path: string): string => `/media/${channel}/${path}`;
  const settings = read<Bootstrap["settings"]>("settings");
  const { currency } = settings;

  const participants = read<Participant[]>("participants").map((one) => ({ ...one, images: one.images.map(media) }));
  const events = read<EventRecord[]>("events")
    .slice(0, EVENTS)
    .map((record): Event => {
      const { starts_in_s: _, starts_on: __, participant_ids, ...event } = record;
      const event_utc_ts = startOf(record, Math.floor(at / 1000));
      const live = event_utc_ts * 1000 < at;
      return {
        ...event,
        currency,
        version: 1,
        has_access: event.access_type === "free",
        event_utc_ts,
        stream_status: live ? "live" : "upcoming",
        participants: participants.filter(({ id }) => participant_ids.includes(id)),
        media: event.media.map(({ id, type, path, duration_s = 0 }) => ({
          id,
          type,
          duration_s,
          ...(type === 1 || type === 5 || type === 6 || (type === 2 && live && event.access_type === "free")
            ? { url: media(path) }
            : {}),
          ...(type === 2 && live && event.access_type !== "free" ? { is_protected: true } : {}),
        })),
      };
    });
  const packages = read<Package[]>("packages").map((one) => ({
    ...one,
    currency,
    price: one.base_price + one.service_fee,
    participants: one.participants ?? [],
    disabled_categories: [],
    disabled_participants: [],
  }));
  const subscriptions = read<Subscription[]>("subscriptions").map((one) => ({
    ...one,
    currency,
    price: one.base_price + one.service_fee,
  }));
  const pages = read<ContentPage[]>("pages");
  const library = read<{ categories: { id: number; title: string }[]; items: VodRecord[]; rails: VodRailRecord[] }>(
    "vod",
  );
  const vod = library.items.map(({ days_ago, ...item }): VodItem => {
    const has_access = item.access_type === "free";
    return {
      ...item,
      has_access,
      date: new Date(at - days_ago * 86_400_000).toISOString(),
      assets: item.assets.map((asset) => ({ ...asset, path: media(asset.path) })),
      media: {
        id: item.media.id,
        type: item.media.type,
        duration_s: item.media.duration_s,
        ...(has_access ? { url: media(item.media.path) } : {}),
      },
    };
  });
  const rail = (id: string, title: string, shown: Event[]): HomeRail => ({
    id,
    title,
    total: shown.length,
    events: shown,
  });

  return {
    participants,
    events,
    pages,
    vod,
    vodCategories: library.categories,
    vodRails: library.rails.map(({ id, title, item_ids }) => ({
      id,
      title,
      vod_media_items: vod.filter((item) => item_ids.includes(item.id)),
    })),
    popups: read<Popup[]>("popups"),
    rails: [
      rail(
        "live",
        "Live now",
        events.filter(({ stream_status }) => stream_status === "live"),
      ),
      rail(
        "upcoming",
        "Upcoming",
        events.filter(({ stream_status }) => stream_status === "upcoming"),
      ),
    ],
    bootstrap: {
      "color-settings": read("colors"),
      "events-categories": read("categories"),
      "events-locations": read("locations"),
      faq: read("faq"),
      menu: { groups: [], participants: [], ...read<object>("menu") } as unknown as Bootstrap["menu"],
      packages,
      pages: pages.map(({ content: _, ...page }) => page),
      "participant-groups": read<Bootstrap["participant-groups"]>("groups").map((group) => ({
        ...group,
        images: group.images.map(media),
      })),
      settings: {
        ...settings,
        logo: media(settings.logo),
        sandbox_payments: true,
        prerolls: read<(Bootstrap["settings"]["prerolls"][number] & { path: string })[]>("prerolls").map(
          ({ path, ...spot }) => ({ ...spot, url: media(path) }),
        ),
      },
      slides: read<Bootstrap["slides"]>("slides")
        .filter(({ slidable_type }) => slidable_type === undefined)
        .map((slide) => ({ ...slide, image: media(slide.image) })),
      subscriptions,
      "participant-group-properties": read("group-properties"),
    },
  };
}

interface VodRailRecord {
  id: number;
  title: string;
  item_ids: number[];
}
