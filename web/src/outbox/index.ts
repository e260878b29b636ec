import type { AnalyticsIdentity, DrainReport, OutboxItem } from "../contracts/outbox";
import { queued } from "../storage/queued";
import { SupersededError } from "../storage/stateDatabase";
import { createEventBuffer, type SendOff } from "./buffer";
import type { Channel } from "./channel";
import { drainAnalytics, drainSeen } from "./drain";
import { recallIdentity, rememberIdentity } from "./identity";
import { type Answered, createQueue, MOST_ANALYTICS, MOST_UNSENT_ANALYTICS, type OutboxStore } from "./queue";
import { createRetryAfter } from "./retryAfter";
import type { OutboxNews, OutboxWire } from "./wire";

export { ANALYTICS } from "./analyticsKey";
export type { SendOff } from "./buffer";
export type { Channel, OutboxRequest } from "./channel";
export { type Client, channelOf } from "./client";
export { recallIdentity, recallSending, rememberSending } from "./identity";
export { sendsAnalyticsFrom } from "./localhost";
export type { Answered, OutboxStore } from "./queue";
export { type Broadcast, type OutboxNews, type OutboxWire, openBroadcast } from "./wire";

/** What the outbox needs of the realm it runs in: a page or the service worker. */
export interface OutboxParts {
  /** The browser's outbox, which every tab and the service worker put into. */
  store: OutboxStore;
  /** The same, for who leads: that one alone sends and takes out. */
  fenced: OutboxStore;
  channel: Channel;
  sendsAnalytics: boolean;
  /** To the other tabs and the service worker. */
  wire: OutboxWire;
  now(): number;
  /** In which session another page sent last: this one may go away before it has sent anything. */
  identity?: AnalyticsIdentity | null;
}

/** What must reach the server: stored before it is sent, in order, under its own user's key, applied once. */
export interface Outbox {
  /** Settles once the item is stored. */
  put(item: OutboxItem): Promise<void>;
  /** Sends what the viewer sees and can be sent, while the server lets it. Who leads calls it; it stops when another does. */
  drain(): Promise<DrainReport>;
  /** Sends analytics, likewise. Without an identity all wait. */
  drainAnalytics(session: AnalyticsIdentity | null): Promise<DrainReport>;
  /** Both, analytics in the session that a page sent in last: for when no page is there. Answers how much is left. */
  drainAsRemembered(): Promise<number>;
  /** Drops the analytics that wait. */
  forgetAnalytics(): Promise<void>;
  /**
   * Hands over what became of items, oldest first, for who leads. `deliver` settles once it is durable that the site heard of them;
   * until then they are handed over again.
   */
  collect(deliver: (answered: readonly Answered[]) => Promise<void>): Promise<void>;
  /**
   * The page goes away: the newest of what was not sent yet is sent off unless the server asked for quiet. It is stored
   * as well, and its ids keep it from counting twice.
   */
  pageHidden(send: SendOff): void;
}

/** Who was replaced stops: who leads now does the rest. */
async function whileLeading<T>(work: () => Promise<T>, replaced: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SupersededError) return replaced;
    throw error;
  }
}

const NOTHING_LEFT: DrainReport = { left: 0, retry_after_ms: null };

export function createOutbox(parts: OutboxParts): Outbox {
  const { store, fenced, channel, sendsAnalytics, wire, now } = parts;
  const mostAnalytics = sendsAnalytics ? MOST_ANALYTICS : MOST_UNSENT_ANALYTICS;
  const queue = createQueue({ store, fenced, mostAnalytics });
  const draining = queued();
  const drainingAnalytics = queued();
  const collecting = queued();
  const retryAfter = createRetryAfter(fenced, "seen", now);
  const analyticsAsked = createRetryAfter(fenced, "analytics", now);
  const unsent = createEventBuffer();
  let session: AnalyticsIdentity | null = parts.identity ?? null;
  let forgetting = new AbortController();

  const tell = (news: OutboxNews): void => wire.postMessage(news);

  function hear(news: OutboxNews): void {
    if (news.t === "left") unsent.drop(news.ids);
    else if (news.t === "session") session = news.session;
    else if (news.t === "asked") analyticsAsked.heard(news.until);
    else {
      session = null;
      unsent.clear();
      // What is being sent is not sent again.
      forgetting.abort();
      forgetting = new AbortController();
    }
  }
  wire.onmessage = ({ data }) => hear(data as OutboxNews);

  function sendIn(identity: AnalyticsIdentity | null): void {
    const isNew = identity?.profile !== session?.profile || identity?.session !== session?.session;
    session = identity;
    if (isNew) tell({ t: "session", session });
  }

  const drain = (): Promise<DrainReport> =>
    draining(() => whileLeading(() => drainSeen({ queue, channel, asked: retryAfter, now }), NOTHING_LEFT));

  /** On localhost analytics are recorded, and nothing of them is ever left over. */
  async function sendWaiting(): Promise<DrainReport> {
    if (!sendsAnalytics) return NOTHING_LEFT;
    const left = (ids: readonly string[]): void => {
      unsent.drop(ids);
      tell({ t: "left", ids });
    };
    const waits = (until: number): void => tell({ t: "asked", until });
    const signal = () => forgetting.signal;
    return drainAnalytics({ queue, channel, asked: analyticsAsked, session: () => session, signal, now, left, waits });
  }
  const sendAnalytics = (): Promise<DrainReport> => drainingAnalytics(() => whileLeading(sendWaiting, NOTHING_LEFT));

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
      await rememberIdentity(fenced, identity).catch(() => undefined);
      return sendAnalytics();
    },
    async drainAsRemembered() {
      const seen = await drain();
      session = await recallIdentity(store);
      const analytics = await sendAnalytics();
      return seen.left + analytics.left;
    },
    async forgetAnalytics() {
      const news = { t: "forgotten" } as const;
      // At once: what is being sent now may take as long as the worker does.
      hear(news);
      tell(news);
      await rememberIdentity(store, null);
      await queue.forgetAnalytics();
    },
    collect: (deliver) =>
      collecting(() =>
        whileLeading(async () => {
          const answered = await queue.answered();
          if (answered.length === 0) return;
          await deliver(answered);
          await queue.acknowledge(answered);
        }, undefined),
      ),
    pageHidden(send) {
      const isWelcome = analyticsAsked.known() === null;
      if (!session || !sendsAnalytics || !isWelcome) return;
      unsent.sendOff({ emailOf: channel.emailOf, session, now: now() }, send);
    },
  };
}
