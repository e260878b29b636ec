import type { OrderedStore } from "./queue";

const LOCAL = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i;

/** Analytics of a site on the developer's own machine are recorded and never sent, unless the channel allows it. */
export const sendsAnalyticsFrom = (hostname: string, isLocalhostAllowed: boolean): boolean =>
  isLocalhostAllowed || !LOCAL.test(hostname);

const RECORD = "sends-analytics";

/** Tells the service worker, which has no configuration of its own, whether analytics are sent. */
export const rememberSending = (store: OrderedStore, sends: boolean): Promise<boolean> => store.setItem(RECORD, sends);

export const recallSending = async (store: OrderedStore): Promise<boolean> =>
  (await store.getItem<boolean>(RECORD)) ?? false;
