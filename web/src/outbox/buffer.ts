import type { AnalyticsItem } from "../contracts/outbox";
import { type AnalyticsSender, BATCH_BYTES, BATCH_EVENTS, batchRequest, nextBatch } from "./analytics";

/** Sends a body in a request that outlives its page. Rejects if no worker accepted it. */
export type KeepaliveSend = (url: string, body: string) => Promise<void>;

/** This page's analytics that may not have been sent: storage can't be read while a page closes. */
export interface EventBuffer {
  add(item: AnalyticsItem): void;
  /** Removes items that left the outbox, whoever sent them. */
  drop(ids: Iterable<string>): void;
  clear(): void;
  /** Sends the newest items that fit beside the requests in flight, each of them once. */
  sendOff(sender: AnalyticsSender, send: KeepaliveSend): void;
}

const encoder = new TextEncoder();

export function createEventBuffer(): EventBuffer {
  /** Oldest first. More of them never fit into one request. */
  const items = new Map<string, { readonly item: AnalyticsItem; isInFlight: boolean }>();
  // A page that is hidden and then closed sends twice; the browser's limit covers all requests in flight.
  let bytesInFlight = 0;

  return {
    add(item) {
      items.set(item.id, { item, isInFlight: false });
      const [oldest] = items.keys();
      if (items.size > BATCH_EVENTS && oldest !== undefined) items.delete(oldest);
    },
    drop(ids) {
      for (const id of ids) items.delete(id);
    },
    clear: () => items.clear(),
    sendOff(sender, send) {
      const newest = [...items.values()].filter(({ isInFlight: isOnItsWay }) => !isOnItsWay).reverse();
      const bytesFree = BATCH_BYTES - bytesInFlight;
      const batch = nextBatch(
        newest.map(({ item }) => item),
        sender,
        bytesFree,
      );
      if (!batch) return;
      const { path, body } = batchRequest(batch.events.toReversed(), sender.now);
      const text = JSON.stringify(body);
      const bytes = encoder.encode(text).length;
      // It is stored: the next page sends it.
      if (bytes > bytesFree) return;
      const ids = new Set(batch.items.map(({ id }) => id));
      const sent = newest.filter(({ item }) => ids.has(item.id));
      const inFlight = (are: boolean): void => {
        for (const entry of sent) entry.isInFlight = are;
      };
      inFlight(true);
      bytesInFlight += bytes;
      send(path, text)
        .catch(() => inFlight(false))
        .finally(() => {
          bytesInFlight -= bytes;
        });
    },
  };
}
