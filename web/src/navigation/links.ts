import { type RouteName, routes } from "./routes";

/** Keys that links carry in their query (NAV-8). */
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

/** The address of a screen. Throws when a parameter of its path is missing: that is a bug, never a viewer's doing. */
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

/** A menu entry of a school leads to the home page, narrowed to it. */
export const linkToGroup = ({ alias, name }: MenuEntry): string => linkTo("home", {}, { group: alias || name });

/** A menu entry of a team leads to the home page, narrowed to it. */
export const linkToParticipant = ({ alias, name }: MenuEntry): string =>
  linkTo("home", {}, { participant: alias || name });
