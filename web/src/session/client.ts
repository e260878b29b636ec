import { type Api, type ApiDeps, createApi } from "../api";
import type { Broadcast, Outbox } from "../outbox";
import { analyticsKeyOf } from "../outbox/analyticsKey";
import type { ClockReading } from "../ports/clock";
import type { StateDatabase } from "../storage/stateDatabase";
import type { SyncClient, SyncInputs } from "../sync";
import { newUuid } from "./ambient";
import type { ShellConfig } from "./config";
import { lazyOutbox, lazySync } from "./lazyPorts";

/** Events of the channel that don't answer a call. */
export interface ChannelEvents extends SyncInputs {
  throttled(retryAfterMs: number | null): void;
  crashed(error: {
    message: string;
    status: number | null;
    requestId: string | null;
    /** Doesn't cover a visible page. */
    sparesPage?: boolean;
  }): void;
  unauthenticated(): void;
  apiKeyLost(): void;
  answeredFromCache(): void;
  clockRead(reading: ClockReading): void;
}

/** The page's connections to the channel. */
export interface ChannelClient {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly sync: SyncClient;
}

const requestIdOf = (details: unknown): string | null => {
  const id = (details as { request_id?: unknown } | null)?.request_id;
  return typeof id === "string" ? id : null;
};

/** Opens the connections. `news` receives events from now on. */
export async function openClient(
  { sendsAnalyticsFromLocalhost }: ShellConfig,
  locks: LockManager | undefined,
  database: StateDatabase,
  broadcast: Broadcast,
  events: ChannelEvents,
  fetchWatched: typeof fetch,
  analyticsIdentity: ApiDeps["analyticsIdentity"],
): Promise<ChannelClient> {
  const accountTopic = broadcast.of("account");
  const api = createApi({
    fetch: fetchWatched,
    database: database.storage("account"),
    locks,
    hostname: window.location.hostname,
    now: () => Date.now(),
    isOnline: () => navigator.onLine,
    newHandle: () => newUuid(),
    analyticsIdentity,
    answers: document.getElementById("touchline-answers")?.textContent ?? null,
    news: {
      ...events,
      crashed({ message, status = null, details, retryable }, crash) {
        const sparesPage = retryable && crash?.sparesPage === true;
        events.crashed({ message, status, requestId: requestIdOf(details), sparesPage });
      },
    },
    personStored: () => accountTopic.postMessage("changed"),
  });
  // Another tab logged in or out: names are reread.
  accountTopic.onmessage = () => void api.account.refresh();
  await api.account.refresh();
  const waiting = database.storage("outbox");
  const deps = { api, database, wire: broadcast.of("outbox"), sendsAnalyticsFromLocalhost };
  return {
    api,
    outbox: lazyOutbox(
      async () => (await import("./outboxSender")).openOutbox(deps),
      (item) => waiting.setItem(analyticsKeyOf(item), item),
    ),
    sync: lazySync(async () => (await import("./outboxSender")).openSync(deps, events)),
  };
}
