import { type Api, createApi, openAccountDatabase } from "../api";
import type { Outbox } from "../outbox";
import type { SyncClient, SyncInputs } from "../sync";
import { newUuid } from "./ambient";
import type { ShellConfig } from "./config";
import { openLanding } from "./landing";
import { lateOutbox, lateSync } from "./late";
import { openWire } from "./wires";

/** What the page hears of the channel without having asked. */
export interface ChannelNews extends SyncInputs {
  throttled(retryAfterMs: number | null): void;
  crashed(error: {
    message: string;
    status: number | null;
    requestId: string | null;
    /** It covers no page that is shown already. */
    sparesPage?: boolean;
  }): void;
  unauthenticated(): void;
  apiKeyLost(): void;
  answeredFromCache(): void;
}

/** The page's ways to the channel. */
export interface ChannelClient {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly sync: SyncClient;
}

const ACCOUNT_WIRE = "touchline-account";

const requestIdOf = (details: unknown): string | null => {
  const id = (details as { request_id?: unknown } | null)?.request_id;
  return typeof id === "string" ? id : null;
};

/** A browser that forbids storage throws where others answer. */
function ownStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Opens them. `news` is told from now on. */
export async function openClient(
  { sendsAnalyticsFromLocalhost }: ShellConfig,
  locks: LockManager | undefined,
  news: ChannelNews,
): Promise<ChannelClient> {
  const wire = openWire(ACCOUNT_WIRE);
  const api = createApi({
    fetch: (input, init) => window.fetch(input, init),
    database: openAccountDatabase(),
    locks,
    hostname: window.location.hostname,
    now: () => Date.now(),
    isOnline: () => navigator.onLine,
    newHandle: () => newUuid(),
    news: {
      ...news,
      crashed({ message, status = null, details, retryable }, crash) {
        const sparesPage = retryable && crash?.sparesPage === true;
        news.crashed({ message, status, requestId: requestIdOf(details), sparesPage });
      },
    },
    personStored: () => wire.postMessage("changed"),
  });
  // Another tab logged in or out: names are read anew.
  wire.onmessage = () => void api.account.refresh();
  await api.account.refresh();
  const parts = { api, locks, sendsAnalyticsFromLocalhost };
  return {
    api,
    outbox: lateOutbox(async () => (await import("./sending")).openOutbox(parts), openLanding(ownStorage())),
    sync: lateSync(async () => (await import("./sending")).openSync(parts, news)),
  };
}
