import type { OutboxItem } from "../contracts/outbox";
import type { Favourite, Id } from "../contracts/resources";
import type { Json } from "../lib/json";
import { PortError } from "../ports/error";
import type { Channel, OutboxRequest } from "./channel";

/** An item with its own call; analytics are sent in batches. */
export type SingleItem = Exclude<OutboxItem, { kind: "analytics" }>;
type Removal = Extract<SingleItem, { kind: "favourite.remove" }>;

type Send = (request: OutboxRequest) => Promise<Json>;

/** Stores new facts about an item. */
export type UpdateItem = (item: SingleItem) => Promise<void>;

/** An earlier waiting item may have recreated the favourite: the channel knows its current id. */
async function favouriteId({ payload }: Removal, send: Send): Promise<Id | null> {
  if (payload.id !== null) return payload.id;
  const currentFavourites = await send({ method: "GET", path: "/favorites", fits: Array.isArray });
  const favourites = currentFavourites as unknown as Favourite[];
  const match = favourites.find(
    ({ favoritable_id, favoritable_type }) =>
      favoritable_id === payload.favoritable_id && favoritable_type === payload.favoritable_type,
  );
  return match?.id ?? null;
}

async function remove(item: Removal, send: Send, amend: UpdateItem): Promise<Json> {
  const id = await favouriteId(item, send);
  if (id === null) return null;
  // Before sending: on a repeat, the channel might know a newer favourite that must stay.
  if (item.payload.id === null) await amend({ ...item, payload: { ...item.payload, id } });
  try {
    return await send({ method: "DELETE", path: `/favorite/${id}`, idempotencyKey: item.id, skipLog: [404] });
  } catch (error) {
    // It is already removed.
    if (error instanceof PortError && error.status === 404) return null;
    throw error;
  }
}

/** Sends one item under its own user's key, with its id as the Idempotency-Key. */
export async function sendItem(item: SingleItem, channel: Channel, amend: UpdateItem): Promise<Json> {
  const send: Send = (request) =>
    channel.send(item.user_id === undefined ? request : { ...request, asUser: item.user_id });
  if (item.kind === "favourite.remove") return remove(item, send, amend);
  const path = item.kind === "clip.create" ? "/clip" : "/favorite";
  return send({ method: "POST", path, body: item.payload, idempotencyKey: item.id });
}
