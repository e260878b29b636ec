import type { AnalyticsIdentity, DrainReport, OutboxItem, OutboxKind } from "../contracts/outbox";
import { createEventBuffer, type SendOff } from "./buffer";
import type { Channel, Exclusive } from "./channel";
import { drainAnalytics, drainSeen } from "./drain";
import { recallIdentity, rememberIdentity } from "./identity";
import { type Answered, createQueue, MOST_ANALYTICS, MOST_UNSENT_ANALYTICS, type OrderedStore } from "./queue";
import { createRetryAfter } from "./retryAfter";
import type { OutboxNews, OutboxWire } from "./wire";

export type { SendOff } from "./buffer";
export type { Channel, OutboxRequest } from "./channel";
export { type Client, channelOf } from "./client";
export { recallIdentity, recallSending, rememberSending } from "./identity";
export { sendsAnalyticsFrom } from "./localhost";
export { type Answered, type OrderedStore, openOutboxStore } from "./queue";
export { type Broadcast, type OutboxNews, type OutboxWire, openBroadcast } from "./wire";

/** What the outbox needs of the realm it runs in: a page or the service worker. */
export interface OutboxParts {
  store: OrderedStore;
  channel: Channel;
  sendsAnalytics: boolean;
  /** A lock of that name, shared with the other tabs and the service worker where the browser has such a thing. */
  lock(name: string): Exclusive;
  /** To those: one of them sends for all. */
  wire: OutboxWire;
  now(): number;
  /** In which session another page sent last: this one may go away before it has sent anything. */
  identity?: AnalyticsIdentity | null;
}

/** What must reach the server: stored before it is sent, in order, under its own user's key, applied once. */
export interface Outbox {
  /** Settles once the item is stored. */
  put(item: OutboxItem): Promise<void>;
  /** Sends what the viewer sees and can be sent, while no other tab and no service worker does and the server lets it. */
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
   * The page goes away: what it recorded last is stored, and the newest of what was not sent yet is sent off unless the
   * server asked for quiet, both without waiting. The ids keep it from counting twice. Answers what was still being
   * stored, for whoever outlives the page.
   */
  pageHidden(send: SendOff): readonly OutboxItem[];
}

export function createOutbox(parts: OutboxParts): Outbox {
  const { store, channel, sendsAnalytics, lock, wire, now } = parts;
  const mostAnalytics = sendsAnalytics ? MOST_ANALYTICS : MOST_UNSENT_ANALYTICS;
  const queue = createQueue({ store, exclusive: lock("touchline-outbox-put"), mostAnalytics });
  const draining = lock("touchline-outbox");
  const drainingAnalytics = lock("touchline-outbox-analytics");
  const collecting = lock("touchline-outbox-collect");
  const asked = createRetryAfter(store, "seen", now);
  const analyticsAsked = createRetryAfter(store, "analytics", now);
  const unsent = createEventBuffer();
  let session: AnalyticsIdentity | null = parts.identity ?? null;

  const tell = (news: OutboxNews): void => wire.postMessage(news);

  function hear(news: OutboxNews): void {
    if (news.t === "left") unsent.drop(news.ids);
    else if (news.t === "session") session = news.session;
    else if (news.t === "asked") analyticsAsked.heard(news.until);
    else if (news.kind === "analytics") {
      session = null;
      unsent.clear();
    }
  }
  wire.onmessage = ({ data }) => hear(data as OutboxNews);

  function sendIn(identity: AnalyticsIdentity | null): void {
    const isNew = identity?.profile !== session?.profile || identity?.session !== session?.session;
    session = identity;
    if (isNew) tell({ t: "session", session });
  }

  const drain = (): Promise<DrainReport> => draining(() => drainSeen({ queue, channel, asked, now }));

  /** On localhost analytics are recorded, and nothing of them is ever left over. */
  const sendAnalytics = (): Promise<DrainReport> =>
    drainingAnalytics(async () => {
      if (!sendsAnalytics) return { left: 0, retry_after_ms: null };
      const left = (ids: readonly string[]): void => {
        unsent.drop(ids);
        tell({ t: "left", ids });
      };
      const waits = (until: number): void => tell({ t: "asked", until });
      return drainAnalytics({ queue, channel, asked: analyticsAsked, session: () => session, now, left, waits });
    });

  return {
    async put(item) {
      // Before it is stored: another tab may have sent it by the time that this one hears that it is.
      if (item.kind === "analytics" && sendsAnalytics) unsent.add(item);
      try {
        await queue.put(item);
      } catch (error) {
        unsent.drop([item.id]);
        throw error;
      }
    },
    drain,
    async drainAnalytics(identity) {
      sendIn(identity);
      // What cannot be remembered is not worth the sending, which makes room on a full disk.
      await rememberIdentity(store, identity).catch(() => undefined);
      return sendAnalytics();
    },
    async drainAsRemembered() {
      const seen = await drain();
      session = await recallIdentity(store);
      const analytics = await sendAnalytics();
      return seen.left + analytics.left;
    },
    async forget(kind) {
      const news = { t: "forgotten", kind } as const;
      // At once: what is being sent now may take as long as the worker does.
      hear(news);
      tell(news);
      if (kind === "analytics") await rememberIdentity(store, null);
      await (kind === "analytics" ? drainingAnalytics : draining)(() => queue.forget(kind));
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
      const isWelcome = analyticsAsked.known() === null;
      if (session && sendsAnalytics && isWelcome) unsent.sendOff({ emailOf: channel.emailOf, session }, send, now());
      return queue.underWay();
    },
  };
}
