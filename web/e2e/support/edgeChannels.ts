import { type ChannelFolder, copiedChannels, type EventRecord } from "./channels";

const EVENTS = 2_000;
const TEAMS = 300;
/** A hundred letters without a break opportunity. */
export const LONG = `${"Wmw".repeat(33)}W`;
/** Right to left, with a digit and a Latin word within. */
const RTL_NAMES = ["صقور الشمال 1", "נמרי הדרום United", "أسود البحر الأبيض المتوسط"] as const;
/** Hours between two of the season's games. */
const INTERVAL_H = 3;

interface Team {
  readonly id: number;
  readonly name: string;
  readonly short_name: string;
  readonly alias: string;
  readonly images: readonly string[];
}

/**
 * Every fourth item has a name that is too long, the one after it a right-to-left one, and every third has no picture.
 */
function named<T extends { readonly name: string }>(one: T, index: number): T {
  const rtl = RTL_NAMES[index % RTL_NAMES.length] ?? "";
  const name = index % 4 === 1 ? LONG : index % 4 === 2 ? rtl : one.name;
  const images = "images" in one && index % 3 === 0 ? { images: [] } : {};
  return { ...one, name, ...("short_name" in one && name !== one.name ? { short_name: name } : {}), ...images };
}

/** The demo channel at its limits: 2,000 events, 300 teams, names that are long or right-to-left, missing pictures. */
export function edgeChannels(): ChannelFolder {
  const folder = copiedChannels();
  const teams = folder.read<Team[]>("participants.json");
  const all = Array.from({ length: TEAMS }, (_, index) => {
    const one = teams[index % teams.length] as Team;
    return index < teams.length ? one : { ...one, id: 10_000 + index, alias: `${one.alias}-${index}` };
  }).map(named);
  folder.write("participants.json", all);
  const events = folder.read<EventRecord[]>("events.json");
  const free = events.find(({ access_type }) => access_type === "free") as EventRecord;
  const more = Array.from({ length: EVENTS - events.length }, (_, index) => {
    const pair = [all[(index * 2) % TEAMS]?.id, all[(index * 2 + 1) % TEAMS]?.id];
    const media = (free.media as { id: number }[]).map((one, at) => ({ ...one, id: 500_000 + index * 10 + at }));
    const starts_in_s = (index - EVENTS / 2) * INTERVAL_H * 3_600;
    const over = starts_in_s < -10_000 && { score: { away: index % 90, home: (index * 7) % 90, period: "Final" } };
    return { ...free, id: 100_000 + index, participant_ids: pair, home_team_id: pair[1], starts_in_s, media, ...over };
  });
  folder.write(
    "events.json",
    [...events, ...more].map((event, index) => named(event as EventRecord & Team, index)),
  );
  folder.write("groups.json", folder.read<Team[]>("groups.json").map(named));
  folder.write("packages.json", folder.read<Team[]>("packages.json").map(named));
  const vod = folder.read<{ items: { title: string }[] }>("vod.json");
  folder.write("vod.json", {
    ...vod,
    items: vod.items.map((item, at) => ({ ...item, title: named({ name: item.title }, at).name })),
  });
  return folder;
}

/** An empty channel. */
export function emptyChannels(): ChannelFolder {
  const folder = copiedChannels();
  for (const file of [
    "events",
    "participants",
    "groups",
    "packages",
    "subscriptions",
    "slides",
    "pages",
    "faq",
    "popups",
  ])
    folder.write(`${file}.json`, []);
  folder.write("categories.json", []);
  folder.write("locations.json", []);
  folder.write("vod.json", { categories: [], items: [], rails: [] });
  folder.write("menu.json", { header: [], footer: [] });
  const channel = folder.read<{ coupons?: unknown }>("channel.json");
  folder.write("channel.json", { ...channel, coupons: [] });
  return folder;
}

/** The main routes, and required content of each. */
export const MAIN_ROUTES = [
  ["home", "/"],
  ["schedule", "/schedule"],
  ["live", "/live"],
  ["on-demand", "/vod"],
  ["search", "/search?q=wmw"],
  ["search-empty", "/search?q=xqzzy"],
  ["team", "/?participant=102"],
  ["school", "/?group=2"],
  ["packages", "/packages"],
  ["team-pass", "/select-package/2"],
  ["watch", "/watch/25"],
  ["library", "/vod_library"],
  ["faq", "/faq"],
  ["login", "/login"],
] as const;

/** A phone in both orientations, a desktop and a wide screen; and a desktop of 1440 px at 200 % zoom. */
export const SIZES = [
  { width: 360, height: 780 },
  { width: 844, height: 390 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
  { width: 720, height: 450 },
] as const;
