import { type RouteName, routes } from "./routes";

/** Query keys in links (NAV-8). */
export type QueryKey =
  | "event_id"
  | "category_id"
  | "school"
  | "team"
  | "sport"
  | "channel"
  | "division"
  | "group"
  | "participant"
  | "modal"
  | "event_category_id"
  | "participant_id"
  | "single_event_package_id"
  | "code"
  | "subscription_id"
  | "package_id"
  | "trk"
  | "location"
  | "email"
  | "expires"
  | "signature"
  | "vod_id"
  | "type";

type Values<K extends string> = { readonly [key in K]?: string | number | undefined };

/** Returns the address of a screen. Throws if a path parameter is missing, which is a bug. */
export function linkTo(name: RouteName, params: Values<string> = {}, query: Values<QueryKey> = {}): string {
  const path = routes[name].path.replace(/:([a-z]+)/g, (_, param: string) => {
    const value = params[param];
    if (value === undefined) throw new Error(`the link to ${name} needs ${param}`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

interface MenuEntry {
  readonly name: string;
  readonly alias: string;
}

/** A school's menu entry leads to the home page, filtered by the school. */
export const linkToGroup = ({ alias, name }: MenuEntry): string => linkTo("home", {}, { group: alias || name });

/** A team's menu entry leads to the home page, filtered by the team. */
export const linkToParticipant = ({ alias, name }: MenuEntry): string =>
  linkTo("home", {}, { participant: alias || name });
