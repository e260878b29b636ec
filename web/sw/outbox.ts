import { createApi, exclusive, type KeyLoss, type Locks, withoutPersonal } from "../src/api";
import { SESSION_LIFETIME } from "../src/contracts/outbox";
import { isValid } from "../src/lib/time";
import {
  type Broadcast,
  channelOf,
  createOutbox,
  type Outbox,
  openBroadcast,
  recallIdentity,
  recallSending,
} from "../src/outbox";
import { LEADER_LOCK, type StateDatabase } from "../src/storage/stateDatabase";
import { pollingLocks } from "./pollingLocks";

const silent = () => undefined;

/** Attempts to get the leader's lock: a closing page releases it a moment after its last message. */
const LOCK_TRIES = 8;

/** The service worker's outbox: the same queue, with its own client of the channel. */
async function openOutbox(
  scope: ServiceWorkerGlobalScope,
  database: StateDatabase,
  locks: Locks | undefined,
  broadcast: Broadcast,
  keyLost: (loss: KeyLoss) => void,
): Promise<Outbox> {
  const store = database.storage("outbox");
  const now = () => Date.now();
  const api = createApi({
    fetch: (input, init) => scope.fetch(input, init),
    database: database.storage("account"),
    locks,
    hostname: scope.location.hostname,
    now,
    isOnline: () => scope.navigator.onLine,
    // Only pages hold forms.
    newHandle: () => "",
    analyticsIdentity: async () => {
      // Without storage the call is sent all the same.
      const identity = await recallIdentity(store).catch(() => null);
      return identity && isValid(identity.expires_at, now(), SESSION_LIFETIME) ? identity : null;
    },
    news: {
      throttled: silent,
      crashed: silent,
      unauthenticated: () => keyLost("unauthenticated"),
      apiKeyLost: () => keyLost("api_key"),
      answeredFromCache: silent,
      clockRead: silent,
    },
    personStored: () => broadcast.of("account").postMessage("changed"),
  });
  await api.account.refresh();
  return createOutbox({
    store,
    fenced: database.fenced("outbox"),
    channel: channelOf(api, withoutPersonal),
    sendsAnalytics: await recallSending(store),
    wire: broadcast.of("outbox"),
    now,
  });
}

/**
 * Sends waiting items while no page leads, and notifies the pages of the outcomes. Fails while items are left, and if a
 * page leads: that page sends them, unless it is gone by the next attempt.
 */
export async function drainOutbox(scope: ServiceWorkerGlobalScope, database: StateDatabase): Promise<void> {
  const { locks } = scope.navigator;
  const leading = exclusive(LEADER_LOCK, locks && pollingLocks(locks, LOCK_TRIES));
  await leading(async () => {
    if (locks) await database.lead();
    await drainLeading(scope, database, locks && pollingLocks(locks));
  });
}

async function drainLeading(
  scope: ServiceWorkerGlobalScope,
  database: StateDatabase,
  locks: Locks | undefined,
): Promise<void> {
  const broadcast = openBroadcast();
  const losses = new Set<KeyLoss>();
  const waiting = await openOutbox(scope, database, locks, broadcast, (loss) => void losses.add(loss))
    .then((outbox) => outbox.drainAsRemembered())
    .finally(async () => {
      broadcast.close();
      // Without the message, a page would continue as a user whose key is gone.
      for (const loss of losses) await notifyPages(scope, { type: "key-lost", how: loss });
    });
  await notifyPages(scope, { type: "outbox-drained" });
  if (waiting > 0) throw new Error(`${waiting} items are left in the outbox`);
}

async function notifyPages(scope: ServiceWorkerGlobalScope, message: object): Promise<void> {
  for (const client of await scope.clients.matchAll({ type: "window" })) client.postMessage(message);
}
