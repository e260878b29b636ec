import type { DrainReport, OutboxItem } from "../contracts/outbox";
import { batchRequest, nextBatch } from "./analytics";
import type { Channel, Exclusive } from "./channel";
import { drain } from "./drain";
import {
  type Answered,
  createQueue,
  MOST_ANALYTICS,
  MOST_UNSENT_ANALYTICS,
  type OrderedStore,
  type Waiting,
} from "./queue";

export type { Channel, OutboxRequest } from "./channel";
export { type Client, channelOf } from "./client";
export { recallSending, rememberSending, sendsAnalyticsFrom } from "./localhost";
export { type Answered, type OrderedStore, openOutboxStore } from "./queue";

/** What the outbox needs of the realm it runs in: a page or the service worker. */
export interface OutboxParts {
  store: OrderedStore;
  channel: Channel;
  sendsAnalytics: boolean;
  /** A lock of that name, shared with the other tabs and the service worker where the browser has such a thing. */
  lock(name: string): Exclusive;
  now(): number;
}

/** What must reach the server: stored before it is sent, in order, under its own user's key, applied once. */
export interface Outbox {
  /** Settles once the item is stored. */
  put(item: OutboxItem): Promise<void>;
  /** Sends what can be sent, while no other tab and no service worker does. */
  drain(): Promise<DrainReport>;
  /**
   * Hands over what became of items, oldest first. `deliver` settles once it is durable that the site heard of them;
   * until then they are handed over again.
   */
  collect(deliver: (answered: readonly Answered[]) => Promise<void>): Promise<void>;
  /** The page goes away: what it recorded is sent off without waiting. The ids keep it from counting twice. */
  pageHidden(send: (url: string, body: string) => void): void;
}

export function createOutbox(parts: OutboxParts): Outbox {
  const { store, channel, sendsAnalytics, lock, now } = parts;
  const mostAnalytics = sendsAnalytics ? MOST_ANALYTICS : MOST_UNSENT_ANALYTICS;
  const queue = createQueue({ store, exclusive: lock("touchline-outbox-put"), mostAnalytics });
  const draining = lock("touchline-outbox");
  const collecting = lock("touchline-outbox-collect");
  // Storage cannot be read while a page goes away: what this page stored and has not seen sent is at hand here.
  let unsent: Waiting[] = [];

  return {
    async put(item) {
      await queue.put(item);
      if (item.kind === "analytics" && sendsAnalytics) unsent = [...unsent, { place: "", item }];
    },
    async drain() {
      const report = await draining(() => drain({ queue, channel, sendsAnalytics, now }));
      const left = new Set((await queue.waiting()).map(({ item }) => item.id));
      unsent = unsent.filter(({ item }) => left.has(item.id));
      return report;
    },
    collect: (deliver) =>
      collecting(async () => {
        const answered = await queue.answered();
        if (answered.length === 0) return;
        await deliver(answered);
        await queue.acknowledge(answered);
      }),
    pageHidden(send) {
      const batch = nextBatch(unsent, channel.emailOf);
      if (!batch) return;
      const { path, body } = batchRequest(batch.events, now());
      send(path, JSON.stringify(body));
    },
  };
}
