import type { Id, OrderType } from "../contracts/resources";

/** What is sold, or shown to be. */
export interface NamedProduct {
  readonly type: OrderType | "vod";
  readonly id: Id;
}

/** The id that a text of an address names; null for a text that is no id. */
export const idOf = (text: string | null | undefined): Id | null => {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
};

/** What the address of the page to buy on names (PAY-1): a package, a subscription, else an event. */
export function soldBy(named: (key: string) => string | null | undefined): { type: OrderType; id: Id | null } {
  for (const type of ["package", "subscription"] as const) {
    const text = named(`${type}_id`);
    if (text !== null && text !== undefined) return { type, id: idOf(text) };
  }
  return { type: "event", id: idOf(named("event_id")) };
}

interface Place {
  /** The route's name. */
  readonly name: string;
  readonly params: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
}

/** What the pages of one product are of, by their route's name. */
const PAGES_OF: { readonly [name: string]: NamedProduct["type"] } = {
  watch: "event",
  watchEmbed: "event",
  vodItem: "vod",
  selectPackage: "package",
};

/** The product that a page is of; null for every other page. */
export function productOf({ name, params, query }: Place): NamedProduct | null {
  const { type, id } = name === "buy" ? soldBy((key) => query[key]) : { type: PAGES_OF[name], id: idOf(params.id) };
  return type === undefined || id === null ? null : { type, id };
}
