import { createApi, exclusive, openAccountDatabase, withoutPersonal } from "../src/api";
import type { OutboxItem } from "../src/contracts/outbox";
import {
  channelOf,
  createOutbox,
  type Outbox,
  type OutboxWire,
  openOutboxStore,
  openOutboxWire,
  recallSending,
} from "../src/outbox";

const silent = () => undefined;

/** The outbox as the service worker has it: the same queue, the same locks, and a client of its own for the channel. */
export async function openOutbox(scope: ServiceWorkerGlobalScope, wire: OutboxWire): Promise<Outbox> {
  const locks = scope.navigator.locks;
  const store = openOutboxStore();
  const now = () => Date.now();
  const api = createApi({
    fetch: (input, init) => scope.fetch(input, init),
    database: openAccountDatabase(),
    locks,
    hostname: scope.location.hostname,
    now,
    // Forms are a page's: none is ever held here.
    newHandle: () => "",
    news: {
      throttled: silent,
      crashed: silent,
      unauthenticated: silent,
      apiKeyLost: silent,
      answeredFromCache: silent,
    },
    personStored: () => new BroadcastChannel("touchline-account").postMessage("changed"),
  });
  await api.account.refresh();
  return createOutbox({
    store,
    channel: channelOf(api, withoutPersonal),
    sendsAnalytics: await recallSending(store),
    lock: (name) => exclusive(name, locks),
    wire,
    now,
  });
}

/**
 * Sends what waits, with what a page that went away was still storing, and calls the pages together to hear what became
 * of it. Fails while something is left.
 */
export async function drainOutbox(scope: ServiceWorkerGlobalScope, last: readonly OutboxItem[] = []): Promise<void> {
  const wire = openOutboxWire();
  const left = await openOutbox(scope, wire)
    .then(async (outbox) => {
      for (const item of last) await outbox.put(item);
      return outbox.drainAsRemembered();
    })
    .finally(() => wire.close());
  for (const client of await scope.clients.matchAll({ type: "window" })) client.postMessage({ type: "outbox-drained" });
  if (left > 0) throw new Error(`${left} items are left in the outbox`);
}
