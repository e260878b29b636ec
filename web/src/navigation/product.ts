import type { Id, OrderType } from "../contracts/resources";

export interface NamedProduct {
  readonly type: OrderType | "vod";
  readonly id: Id;
}

/** Parses a product id from an address; null if the text isn't one. */
export const idOf = (text: string | null | undefined): Id | null => {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
};

/** The product named by the address of the buy page (PAY-1): a package, a subscription, or else an event. */
export function soldBy(named: (key: string) => string | null | undefined): { type: OrderType; id: Id | null } {
  for (const type of ["package", "subscription"] as const) {
    const text = named(`${type}_id`);
    if (text !== null && text !== undefined) return { type, id: idOf(text) };
  }
  return { type: "event", id: idOf(named("event_id")) };
}

interface PageLocation {
  readonly name: string;
  readonly params: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
}

/** The product type of each product page, by route name. */
const PAGES_OF: { readonly [name: string]: NamedProduct["type"] } = {
  watch: "event",
  watchEmbed: "event",
  vodItem: "vod",
  selectPackage: "package",
};

/** The product of a page; null for any other page. */
export function productOf({ name, params, query }: PageLocation): NamedProduct | null {
  const { type, id } = name === "buy" ? soldBy((key) => query[key]) : { type: PAGES_OF[name], id: idOf(params.id) };
  return type === undefined || id === null ? null : { type, id };
}
