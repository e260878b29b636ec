/** The parts of the page's client that load after the first page is visible. */
import { type Api, storePaymentSecret, withoutPersonal } from "../api";
import type { ResourceStatus } from "../contracts/sync";
import {
  channelOf,
  createOutbox,
  type Outbox,
  type OutboxWire,
  recallIdentity,
  rememberSending,
  sendsAnalyticsFrom,
} from "../outbox";
import type { StateDatabase } from "../storage/stateDatabase";
import { createSyncClient, type SyncClient, type SyncInputs } from "../sync";
import { openSocket } from "./browserAdapters";

export interface OutboxSenderDeps {
  api: Api;
  database: StateDatabase;
  wire: OutboxWire;
  sendsAnalyticsFromLocalhost: boolean;
}

export async function openOutbox({
  api,
  database,
  wire,
  sendsAnalyticsFromLocalhost,
}: OutboxSenderDeps): Promise<Outbox> {
  const store = database.storage("outbox");
  const sendsAnalytics = sendsAnalyticsFrom(window.location.hostname, sendsAnalyticsFromLocalhost);
  // The service worker can do without this; a page that can't store continues all the same.
  await rememberSending(store, sendsAnalytics).catch(() => undefined);
  return createOutbox({
    store,
    fenced: database.fenced("outbox"),
    channel: channelOf(api, withoutPersonal),
    sendsAnalytics,
    identity: await recallIdentity(store).catch(() => null),
    wire,
    now: () => Date.now(),
  });
}

export function openSync({ api }: OutboxSenderDeps, inputs: SyncInputs): SyncClient {
  const { protocol, host } = window.location;
  const stripped = <R extends ResourceStatus>(status: R): R => {
    const state = status.kind === "order" ? storePaymentSecret(api, status.state) : withoutPersonal(status.state);
    return { ...status, state };
  };
  return createSyncClient({
    open: () => openSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}/sync`),
    apiKey: async () => (await api.keyring.withApiKey()).api_key,
    keyRefused: (key) => void api.keyRefused(key).catch(() => undefined),
    withoutPersonal: stripped,
    inputs,
  });
}
