// The data of a plain channel API: read from the demo's folder, independently of the product's code.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../../../fixtures/channels/northfield");
const file = (name) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8"));
const media = (path) => `/media/northfield/${path}`;

const [events, packages, subscriptions, participants, groups, categories, locations, vod] = [
  "events",
  "packages",
  "subscriptions",
  "participants",
  "groups",
  "categories",
  "locations",
  "vod",
].map(file);
const channel = file("channel");

/** The demo's times are relative to the quarter of an hour in which it started. */
export const anchorOf = (ms) => Math.floor(ms / 900_000) * 900;

const pictured = (it) => ({ ...it, images: it.images.map(media) });
export const teams = participants.map(pictured);
export const schools = groups.map(pictured);

const withChildren = (list) => list.flatMap((it) => [it, ...withChildren(it.children ?? [])]);
const ancestry = new Map();
const walk = (list, above) => {
  for (const it of list) {
    ancestry.set(it.id, [...above, it.id]);
    walk(it.children ?? [], [...above, it.id]);
  }
};
walk(categories, []);
export const covers = (category, ids) => (ancestry.get(category) ?? []).some((id) => ids.includes(id));

const wallClock = (time_zone, seconds) =>
  Date.parse(`${new Date(seconds * 1_000).toLocaleString("sv", { timeZone: time_zone })}Z`) / 1_000;

/** An event's start: relative to the demo's start, or on a later day at a time in its own zone. */
function startOf({ starts_in_s = 0, starts_on, time_zone }, anchor) {
  if (starts_on === undefined) return anchor + starts_in_s;
  const [hours, minutes] = starts_on.time.split(":").map(Number);
  const today = wallClock(time_zone, anchor);
  const wanted = today - (today % 86_400) + starts_on.day * 86_400 + hours * 3_600 + minutes * 60;
  // The zone's offset may differ on that day.
  const near = wanted - (wallClock(time_zone, wanted) - wanted);
  return wanted - (wallClock(time_zone, near) - near);
}

const statusAt = (start, duration_s, now) =>
  now < start ? "upcoming" : now < start + duration_s ? "live" : "finished";

export const accountsOf = () => channel.demo_accounts;
export const couponOf = (code) => channel.coupons.find((it) => it.code === code?.trim().toUpperCase());

/** An event for one viewer; `owns(event)` returns whether their purchases open it. */
export function eventOf(it, { anchor, now, user, owns }) {
  const { starts_in_s: _, starts_on: __, participant_ids = [], media: list = [], ...rest } = it;
  const event_utc_ts = startOf(it, anchor);
  const stream_status = statusAt(event_utc_ts, it.duration_s, now);
  const isOpen = it.access_type === "free" || (user !== null && it.access_type === "register") || owns(it);
  const addressOf = ({ id, type, path, duration_s }) => {
    const isPublic = type === 5 || type === 6 || isOpen;
    return { id, type, ...(isPublic ? { url: media(path) } : {}), ...(duration_s ? { duration_s } : {}) };
  };
  return {
    ...rest,
    has_access: isOpen,
    event_utc_ts,
    stream_status,
    currency: "USD",
    participants: participant_ids.map((id) => teams.find((team) => team.id === id)).filter(Boolean),
    media: list.map(addressOf),
    // An unknown field.
    loyalty_points: 3,
  };
}

export function listOf(query, seen) {
  const ids = (name) => (query.get(name) ?? "").split(",").filter(Boolean).map(Number);
  const of = (name) => query.get(name);
  let list = events.map((it) => eventOf(it, seen));
  const filterBy = (test) => {
    list = list.filter(test);
  };
  if (of("stream_status")) filterBy((it) => of("stream_status").split(",").includes(it.stream_status));
  if (of("gender")) filterBy((it) => it.participants.some((team) => team.properties?.gender === of("gender")));
  if (of("sport")) filterBy((it) => it.participants.some((team) => team.properties?.sport === of("sport")));
  const there = (it) => locations.find((addressOf) => addressOf.id === it.location_id) ?? {};
  if (of("city")) filterBy((it) => there(it).city === of("city"));
  if (of("state")) filterBy((it) => there(it).state === of("state"));
  if (of("ids")) filterBy((it) => ids("ids").includes(it.id));
  if (of("event_category_id")) filterBy((it) => covers(it.event_category_id, ids("event_category_id")));
  for (const name of ["participant", "team"])
    if (of(name))
      filterBy((it) => it.participants.some((team) => team.alias === of(name) || String(team.id) === of(name)));
  for (const name of ["group", "school"])
    if (of(name)) {
      const school = schools.find((it) => it.alias === of(name) || String(it.id) === of(name));
      filterBy((it) => it.participants.some((team) => team.group_id === school?.id));
    }
  if (of("owned")) filterBy((it) => it.has_access && ["paid", "ppv"].includes(it.access_type));
  const down = of("sort_direction") === "desc" ? -1 : 1;
  list.sort((a, b) => down * (a.event_utc_ts - b.event_utc_ts) || a.id - b.id);
  return list;
}

export const eventById = (id) => events.find((it) => it.id === Number(id));

export function homeRails(seen) {
  const rail = (id) => {
    const all = listOf(
      new URLSearchParams({ stream_status: id, sort_direction: id === "finished" ? "desc" : "asc" }),
      seen,
    );
    return { id, title: "", total: all.length, events: all.slice(0, 12) };
  };
  return ["live", "upcoming", "finished"].map(rail).filter((it) => it.total > 0);
}

const priced = (it) => ({ ...it, price: it.base_price + it.service_fee, currency: "USD" });
export const packagesFor = (owned) =>
  packages.map((it) => ({
    ...priced(it),
    disabled_categories: owned.some((order) => order.product.id === it.id && !it.is_team_pass)
      ? it.event_categories
      : [],
    disabled_participants: owned
      .filter((order) => order.product.id === it.id)
      .flatMap((o) => o.product.participant_id ?? []),
  }));
export const plans = subscriptions.map(priced);

export function videosFor(user) {
  return vod.items.map(({ days_ago, media: medium, assets, ...rest }) => {
    const has_access = rest.access_type === "free" || user !== null;
    const date = new Date(Date.now() - days_ago * 86_400_000).toISOString();
    const presented = { id: medium.id, type: medium.type, ...(has_access ? { url: media(medium.path) } : {}) };
    return {
      ...rest,
      date,
      has_access,
      assets: assets.map((it) => ({ ...it, path: media(it.path) })),
      media: presented,
    };
  });
}
export const videoCategories = vod.categories;
export const rails = (user) =>
  (vod.rails ?? []).map(({ item_ids, items, ...rest }) => ({
    ...rest,
    vod_media_items: videosFor(user).filter((it) => (item_ids ?? items ?? []).includes(it.id)),
  }));

const settings = () => {
  const { logo, ...rest } = file("settings");
  const spots = file("prerolls").map(({ path, ...spot }) => ({ ...spot, url: media(path) }));
  // Omitted fields come from the site's own folder: static_blocks, seller.
  const { static_blocks, seller, ...told } = rest;
  return { ...told, logo: media(logo), prerolls: spots };
};

export const tree = { categories, locations, flat: withChildren(categories) };
export const settingsOf = settings;
export const menu = () => {
  const link = (it) => ({ id: it.id, name: it.name, alias: it.alias, images: it.images });
  return { ...file("menu"), groups: schools.map(link), participants: teams.map(link) };
};
export const pages = file("pages");
export const faq = file("faq");
export const colors = file("colors");
export const slides = file("slides").map((it) => (it.image ? { ...it, image: media(it.image) } : it));
export const properties = file("group-properties");
export const forms = file("forms");
export const locationOf = (it) => it;
