import type { AnalyticsIdentity } from "../contracts/outbox";
import type { OutboxStore } from "./queue";

const SENDS = "sends-analytics";
const IDENTITY = "analytics-identity";

/** Tells the service worker, which has no configuration of its own, whether analytics are sent. */
export const rememberSending = (store: OutboxStore, sends: boolean): Promise<boolean> => store.setItem(SENDS, sends);

export const recallSending = async (store: OutboxStore): Promise<boolean> =>
  (await store.getItem<boolean>(SENDS)) ?? false;

/** The session in which the service worker may send once no page is open. */
export const rememberIdentity = (store: OutboxStore, identity: AnalyticsIdentity | null): Promise<unknown> =>
  // A full disk deletes but doesn't store: a refusal must take effect without free space.
  identity === null ? store.removeItem(IDENTITY) : store.setItem(IDENTITY, identity);

export const recallIdentity = (store: OutboxStore): Promise<AnalyticsIdentity | null> =>
  store.getItem<AnalyticsIdentity>(IDENTITY);
