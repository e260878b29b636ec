import type { AnalyticsIdentity, DrainReport, OutboxItem, OutboxKind } from "../contracts/outbox";
import { batchRequest, nextBatch } from "./analytics";
import type { Channel, Exclusive } from "./channel";
import { drainAnalytics, drainSeen } from "./drain";
import {
  type Answered,
  createQueue,
  MOST_ANALYTICS,
  MOST_UNSENT_ANALYTICS,
  type OrderedStore,
  type Waiting,
} from "./queue";
import { recallIdentity, rememberIdentity } from "./remembered";

export type { Channel, OutboxRequest } from "./channel";
export { type Client, channelOf } from "./client";
export { sendsAnalyticsFrom } from "./localhost";
export { type Answered, type OrderedStore, openOutboxStore } from "./queue";
export { recallIdentity, recallSending, rememberSending } from "./remembered";

/** What the outbox needs of the realm it runs in: a page or the service worker. */
export interface OutboxParts {
  store: OrderedStore;
  channel: Channel;
  sendsAnalytics: boolean;
  /** A lock of that name, shared with the other tabs and the service worker where the browser has such a thing. */
  lock(name: string): Exclusive;
  now(): number;
  /** In which session another page sent last: this one may go away before it has sent anything. */
  identity?: AnalyticsIdentity | null;
}

/** What must reach the server: stored before it is sent, in order, under its own user's key, applied once. */
export interface Outbox {
  /** Settles once the item is stored. */
  put(item: OutboxItem): Promise<void>;
  /** Sends what the viewer sees and can be sent, while no other tab and no service worker does. */
  drain(): Promise<DrainReport>;
  /** Sends analytics, while nobody else does. Without a session they wait. */
  drainAnalytics(session: AnalyticsIdentity | null): Promise<DrainReport>;
  /** Both, analytics in the session that a page sent in last: for when no page is there. Answers how much is left. */
  drainAsRemembered(): Promise<number>;
  /** Drops what of one kind waits. */
  forget(kind: OutboxKind): Promise<void>;
  /**
   * Hands over what became of items, oldest first. `deliver` settles once it is durable that the site heard of them;
   * until then they are handed over again.
   */
  collect(deliver: (answered: readonly Answered[]) => Promise<void>): Promise<void>;
  /**
   * The page goes away: what it recorded last is stored, and what was not sent yet is sent off, both without waiting.
   * The ids keep it from counting twice. Answers what was still being stored, for whoever outlives the page.
   */
  pageHidden(send: (url: string, body: string) => void): readonly OutboxItem[];
}

export function createOutbox(parts: OutboxParts): Outbox {
  const { store, channel, sendsAnalytics, lock, now } = parts;
  const mostAnalytics = sendsAnalytics ? MOST_ANALYTICS : MOST_UNSENT_ANALYTICS;
  const queue = createQueue({ store, exclusive: lock("touchline-outbox-put"), mostAnalytics });
  const draining = lock("touchline-outbox");
  const drainingAnalytics = lock("touchline-outbox-analytics");
  const collecting = lock("touchline-outbox-collect");
  // Storage cannot be read while a page goes away: what this page stored and has not seen sent is at hand here.
  let unsent: Waiting[] = [];
  let session: AnalyticsIdentity | null = parts.identity ?? null;

  /** On localhost analytics are recorded, and nothing of them is ever left over. */
  const sendAnalytics = async (identity: AnalyticsIdentity | null): Promise<DrainReport> =>
    sendsAnalytics ? drainAnalytics({ queue, channel }, identity, now) : { left: 0, retry_after_ms: null };

  return {
    async put(item) {
      await queue.put(item);
      if (item.kind === "analytics" && sendsAnalytics) unsent = [...unsent, { place: "", item }];
    },
    drain: () => draining(() => drainSeen({ queue, channel })),
    async drainAnalytics(identity) {
      session = identity;
      await rememberIdentity(store, identity);
      const report = await drainingAnalytics(() => sendAnalytics(identity));
      const left = new Set((await queue.waiting()).map(({ item }) => item.id));
      unsent = unsent.filter(({ item }) => left.has(item.id));
      return report;
    },
    async drainAsRemembered() {
      const seen = await draining(() => drainSeen({ queue, channel }));
      const analytics = await drainingAnalytics(async () => sendAnalytics(await recallIdentity(store)));
      return seen.left + analytics.left;
    },
    async forget(kind) {
      unsent = unsent.filter(({ item }) => item.kind !== kind);
      await (kind === "analytics" ? drainingAnalytics : draining)(async () => {
        for (const entry of await queue.waiting()) if (entry.item.kind === kind) await queue.remove(entry);
      });
    },
    collect: (deliver) =>
      collecting(async () => {
        const answered = await queue.answered();
        if (answered.length === 0) return;
        await deliver(answered);
        await queue.acknowledge(answered);
      }),
    pageHidden(send) {
      queue.leave();
      const last = queue.underWay();
      if (!session || !sendsAnalytics) return last;
      const recorded = [...unsent, ...last.map((item) => ({ place: "", item }))];
      const batch = nextBatch(recorded, { emailOf: channel.emailOf, session });
      if (!batch) return last;
      const { path, body } = batchRequest(batch.events, now());
      send(path, JSON.stringify(body));
      return last;
    },
  };
}
