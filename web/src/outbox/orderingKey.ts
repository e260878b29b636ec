import type { OutboxItem } from "../contracts/outbox";
import { exhaustive } from "../lib/exhaustive";

/** The subject of an item. Items of one subject are sent in the order they were put. */
export function orderingKeyOf(item: OutboxItem): string {
  switch (item.kind) {
    case "favourite.add":
    case "favourite.remove":
      return `favourite/${item.payload.favoritable_type}/${item.payload.favoritable_id}`;
    case "clip.create":
      return `clip/${item.id}`;
    case "analytics":
      return "analytics";
    default:
      return exhaustive(item);
  }
}
