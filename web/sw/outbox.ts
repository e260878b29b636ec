import { createApi, exclusive, type KeyLoss, openAccountDatabase, withoutPersonal } from "../src/api";
import type { OutboxItem } from "../src/contracts/outbox";
import {
  channelOf,
  createOutbox,
  type Broadcast,
  type Outbox,
  openBroadcast,
  openOutboxStore,
  recallSending,
} from "../src/outbox";
import { pollingLocks } from "./pollingLocks";

const silent = () => undefined;

/** The outbox as the service worker has it: the same queue, the same locks, and a client of its own for the channel. */
async function openOutbox(
  scope: ServiceWorkerGlobalScope,
  broadcast: Broadcast,
  keyLost: (how: KeyLoss) => void,
): Promise<Outbox> {
  const locks = scope.navigator.locks && pollingLocks(scope.navigator.locks);
  const store = openOutboxStore();
  const now = () => Date.now();
  const api = createApi({
    fetch: (input, init) => scope.fetch(input, init),
    database: openAccountDatabase(),
    locks,
    hostname: scope.location.hostname,
    now,
    isOnline: () => scope.navigator.onLine,
    // Forms are a page's: none is ever held here.
    newHandle: () => "",
    news: {
      throttled: silent,
      crashed: silent,
      unauthenticated: () => keyLost("unauthenticated"),
      apiKeyLost: () => keyLost("api_key"),
      answeredFromCache: silent,
    },
    personStored: () => broadcast.of("account").postMessage("changed"),
  });
  await api.account.refresh();
  return createOutbox({
    store,
    channel: channelOf(api, withoutPersonal),
    sendsAnalytics: await recallSending(store),
    lock: (name) => exclusive(name, locks),
    wire: broadcast.of("outbox"),
    now,
  });
}

/**
 * Sends what waits, with what a page that went away was still storing, and calls the pages together to hear what became
 * of it. Fails while something is left.
 */
export async function drainOutbox(scope: ServiceWorkerGlobalScope, last: readonly OutboxItem[] = []): Promise<void> {
  const broadcast = openBroadcast();
  const losses = new Set<KeyLoss>();
  const left = await openOutbox(scope, broadcast, (how) => void losses.add(how))
    .then(async (outbox) => {
      for (const item of last) await outbox.put(item);
      return outbox.drainAsRemembered();
    })
    .finally(async () => {
      broadcast.close();
      // A page that is not told goes on as somebody whose key is gone.
      for (const how of losses) await tellPages(scope, { type: "key-lost", how });
    });
  await tellPages(scope, { type: "outbox-drained" });
  if (left > 0) throw new Error(`${left} items are left in the outbox`);
}

async function tellPages(scope: ServiceWorkerGlobalScope, news: object): Promise<void> {
  for (const client of await scope.clients.matchAll({ type: "window" })) client.postMessage(news);
}
