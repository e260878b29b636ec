import { type Api, createApi, exclusive, keepPaymentSecret, openAccountDatabase, withoutPersonal } from "../api";
import type { ResourceStatus } from "../contracts/sync";
import { channelOf, createOutbox, type Outbox, openOutboxStore, rememberSending, sendsAnalyticsFrom } from "../outbox";
import { createSyncClient, type SyncClient, type SyncInputs } from "../sync";
import { newUuid } from "./ambient";
import type { ShellConfig } from "./config";
import { openSocket, openWire } from "./wires";

/** What the page hears of the channel without having asked. */
export interface ChannelNews extends SyncInputs {
  throttled(retryAfterMs: number | null): void;
  crashed(error: { message: string; status: number | null; requestId: string | null }): void;
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

/** Opens them. `news` is told from now on. */
export async function openClient(
  config: ShellConfig,
  locks: LockManager | undefined,
  news: ChannelNews,
): Promise<ChannelClient> {
  const { hostname, protocol, host } = window.location;
  const wire = openWire(ACCOUNT_WIRE);
  const api = createApi({
    fetch: (input, init) => window.fetch(input, init),
    database: openAccountDatabase(),
    locks,
    hostname,
    now: () => Date.now(),
    newHandle: () => newUuid(),
    news: {
      ...news,
      crashed: ({ message, status = null, details }) =>
        news.crashed({ message, status, requestId: requestIdOf(details) }),
    },
    userChanged: () => wire.postMessage("changed"),
  });
  // Another tab logged in or out: names are read anew.
  wire.onmessage = () => void api.account.refresh();
  await api.account.refresh();

  const store = openOutboxStore();
  const sendsAnalytics = sendsAnalyticsFrom(hostname, config.sendsAnalyticsFromLocalhost);
  const outbox = createOutbox({
    store,
    channel: channelOf(api, withoutPersonal),
    sendsAnalytics,
    lock: (name) => exclusive(name, locks),
    now: () => Date.now(),
  });
  // The service worker can do without this; a page that cannot store must start all the same.
  await rememberSending(store, sendsAnalytics).catch(() => undefined);

  const stripped = <R extends ResourceStatus>(status: R): R => {
    const state = status.kind === "order" ? keepPaymentSecret(api, status.state) : withoutPersonal(status.state);
    return { ...status, state };
  };
  const sync = createSyncClient({
    open: () => openSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}/sync`),
    apiKey: async () => (await api.keyring.withApiKey()).api_key,
    // The transport mends keys, once it meets the fault itself.
    keyRefused: () => void api.transport.send({ method: "GET", path: "/geo" }).catch(() => undefined),
    withoutPersonal: stripped,
    inputs: news,
  });
  return { api, outbox, sync };
}
