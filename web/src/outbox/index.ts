import type { AnalyticsIdentity, DrainReport, OutboxItem } from "../contracts/outbox";
import { queued } from "../storage/queued";
import { SupersededError } from "../storage/stateDatabase";
import { createEventBuffer, type KeepaliveSend } from "./buffer";
import type { Channel } from "./channel";
import { drainAnalytics, drainVisible } from "./drain";
import { recallIdentity, rememberIdentity } from "./identity";
import { type Answered, createQueue, MAX_ANALYTICS, MAX_UNSENT_ANALYTICS, type OutboxStore } from "./queue";
import { createRetryAfter } from "./retryAfter";
import type { OutboxMessage, OutboxWire } from "./wire";

export type { KeepaliveSend } from "./buffer";
export type { Channel, OutboxRequest } from "./channel";
export { channelOf } from "./client";
export { recallIdentity, recallSending, rememberSending } from "./identity";
export { sendsAnalyticsFrom } from "./localhost";
export type { Answered, OutboxStore } from "./queue";
export { type Broadcast, type OutboxWire, openBroadcast } from "./wire";

/** Dependencies of the outbox on its realm: a page or the service worker. */
export interface OutboxDeps {
  /** The browser's outbox, which every tab and the service worker write. */
  store: OutboxStore;
  /** The same for the leader, which alone sends and removes. */
  fenced: OutboxStore;
  channel: Channel;
  sendsAnalytics: boolean;
  /** To the other tabs and the service worker. */
  wire: OutboxWire;
  now(): number;
  /** The session in which another page sent last, in case this one closes before sending. */
  identity?: AnalyticsIdentity | null;
}

/** Items that must reach the server: stored before they are sent, in order, under their user's key, applied once. */
export interface Outbox {
  /** Settles once the item is stored. */
  put(item: OutboxItem): Promise<void>;
  /** Sends favourites and clips while the server allows it. Called by the leader; stops when another tab takes over. */
  drain(): Promise<DrainReport>;
  /** The same for analytics. Without an identity all but counts wait. */
  drainAnalytics(session: AnalyticsIdentity | null): Promise<DrainReport>;
  /** Sends both, analytics in the last stored session, while no page is open. Returns the number left. */
  drainAsRemembered(): Promise<number>;
  /** Discards waiting events; counts stay. */
  forgetAnalytics(): Promise<void>;
  /**
   * Delivers outcomes to the leader, oldest first. `deliver` settles once it is durable that the site received them;
   * until then they are delivered again.
   */
  collect(deliver: (answered: readonly Answered[]) => Promise<void>): Promise<void>;
  /**
   * The page closes: sends the newest unsent items unless the server requested a wait. They are stored as well, and
   * their ids prevent double counting.
   */
  pageHidden(send: KeepaliveSend): void;
}

/** A replaced leader stops, and its successor does the rest. */
async function whileLeading<T>(work: () => Promise<T>, replaced: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SupersededError) return replaced;
    throw error;
  }
}

const DRAINED: DrainReport = { left: 0, retry_after_ms: null };

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, fenced, channel, sendsAnalytics, wire, now } = deps;
  const maxAnalytics = sendsAnalytics ? MAX_ANALYTICS : MAX_UNSENT_ANALYTICS;
  const queue = createQueue({ store, fenced, maxAnalytics: maxAnalytics });
  const draining = queued();
  const drainingAnalytics = queued();
  const collecting = queued();
  const retryAfter = createRetryAfter(fenced, "seen", now);
  const analyticsRetryAfter = createRetryAfter(fenced, "analytics", now);
  const unsent = createEventBuffer();
  let session: AnalyticsIdentity | null = deps.identity ?? null;
  let discarding = new AbortController();

  const broadcast = (message: OutboxMessage): void => wire.postMessage(message);

  function receive(message: OutboxMessage): void {
    if (message.t === "left") unsent.drop(message.ids);
    else if (message.t === "session") session = message.session;
    else if (message.t === "asked") analyticsRetryAfter.receive(message.until);
    else {
      session = null;
      unsent.clear();
      // Items in flight aren't sent again.
      discarding.abort();
      discarding = new AbortController();
    }
  }
  wire.onmessage = ({ data }) => receive(data as OutboxMessage);

  function setSession(identity: AnalyticsIdentity | null): void {
    const isNew = identity?.profile !== session?.profile || identity?.session !== session?.session;
    session = identity;
    if (isNew) broadcast({ t: "session", session });
  }

  const drain = (): Promise<DrainReport> =>
    draining(() => whileLeading(() => drainVisible({ queue, channel, retryAfter, now }), DRAINED));

  /** On localhost analytics are recorded, and none of them count as left. */
  async function sendWaiting(): Promise<DrainReport> {
    if (!sendsAnalytics) return DRAINED;
    const onSent = (ids: readonly string[]): void => {
      unsent.drop(ids);
      broadcast({ t: "left", ids });
    };
    const onWait = (until: number): void => broadcast({ t: "asked", until });
    const signal = () => discarding.signal;
    return drainAnalytics({
      queue,
      channel,
      retryAfter: analyticsRetryAfter,
      session: () => session,
      signal,
      now,
      onSent,
      onWait,
    });
  }
  const sendAnalytics = (): Promise<DrainReport> => drainingAnalytics(() => whileLeading(sendWaiting, DRAINED));

  return {
    async put(item) {
      // Before it is stored: another tab may have sent it before this one learns that it is stored.
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
      setSession(identity);
      // Sending, which frees space on a full disk, doesn't depend on storing this.
      await rememberIdentity(fenced, identity).catch(() => undefined);
      return sendAnalytics();
    },
    async drainAsRemembered() {
      const visible = await drain();
      session = await recallIdentity(store);
      const analytics = await sendAnalytics();
      return visible.left + analytics.left;
    },
    async forgetAnalytics() {
      const message = { t: "forgotten" } as const;
      // Immediately: the current send may take as long as the worker does.
      receive(message);
      broadcast(message);
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
      const isWelcome = analyticsRetryAfter.remaining() === null;
      if (!session || !sendsAnalytics || !isWelcome) return;
      unsent.sendOff({ emailOf: channel.emailOf, session, now: now() }, send);
    },
  };
}
