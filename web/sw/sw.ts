/// <reference lib="webworker" />
import { clientsClaim } from "workbox-core";
import { ExpirationPlugin } from "workbox-expiration";
import { addPlugins, cleanupOutdatedCaches, precacheAndRoute } from "workbox-precaching";
import { NavigationRoute, registerRoute } from "workbox-routing";
import { CacheFirst, NetworkFirst } from "workbox-strategies";
import type { StoredKeys } from "../src/api";
import { openStateDatabase } from "../src/storage/stateDatabase";
import { cachePolicy } from "./cachePolicy";
import { preferCached, rejectHtml } from "./captivePortal";
import { audienceOf, isPublicPicture, NO_PAGES } from "./catalogue";
import { drainOutbox } from "./outbox";
import { adoptShell, fetchShell, serveShell } from "./shell";

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

/** Background Sync is missing from the DOM library's types. */
interface SyncEvent extends ExtendableEvent {
  readonly tag: string;
}

const database = openStateDatabase();
const account = database.storage("account");

const DAY_S = 86_400;
const OUTBOX_TAG = "touchline-outbox";
/** Time to wait for the channel before answering from the cache, in seconds. */
const NETWORK_TIMEOUT_S = 8;

addPlugins([rejectHtml]);
precacheAndRoute(self.__WB_MANIFEST);
cleanupOutdatedCaches();
registerRoute(new NavigationRoute(({ request }) => serveShell(request), { denylist: NO_PAGES }));

// A build's files are named by their content, so a cached one never expires.
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith("/assets/"),
  new CacheFirst({
    cacheName: "touchline-assets",
    plugins: [rejectHtml, new ExpirationPlugin({ maxEntries: 200, maxAgeSeconds: 60 * DAY_S })],
  }),
);

registerRoute(
  ({ url, request, sameOrigin }) => sameOrigin && isPublicPicture(url, request.destination),
  new CacheFirst({
    cacheName: "touchline-pictures",
    plugins: [rejectHtml, new ExpirationPlugin({ maxEntries: 400, maxAgeSeconds: 7 * DAY_S, purgeOnQuotaError: true })],
  }),
);

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && audienceOf(url.pathname) !== "person",
  new NetworkFirst({
    cacheName: "touchline-catalogue",
    networkTimeoutSeconds: NETWORK_TIMEOUT_S,
    plugins: [
      preferCached,
      cachePolicy(() => account.getItem<StoredKeys>("keys")),
      new ExpirationPlugin({ maxEntries: 120, maxAgeSeconds: 30 * DAY_S, purgeOnQuotaError: true }),
    ],
  }),
);

self.addEventListener("install", (event) => event.waitUntil(fetchShell((input, init) => fetch(input, init))));
self.addEventListener("activate", (event) => event.waitUntil(adoptShell()));
/**
 * Time in which a next page may load and send the items itself, in milliseconds. WebKit ends this worker between two
 * pages, and a transaction that is open then would block the next page.
 */
const NEXT_PAGE_WAIT_MS = 1_000;
const waitForNextPage = () => new Promise((resolve) => setTimeout(resolve, NEXT_PAGE_WAIT_MS));

self.addEventListener("sync", (event) => {
  const sync = event as SyncEvent;
  if (sync.tag === OUTBOX_TAG) sync.waitUntil(drainOutbox(self, database));
});
self.addEventListener("message", (event) => {
  // Messages come from this site's own pages alone.
  const { type } = (event.data ?? {}) as { type?: unknown };
  // The viewer accepted the update: this worker takes over, and the page reloads itself.
  if (type === "SKIP_WAITING") void self.skipWaiting();
  // A page closes. Items that can't be sent now wait for the next page, or a network.
  if (type === "outbox-left")
    event.waitUntil(
      waitForNextPage()
        .then(() => drainOutbox(self, database))
        .catch(() => undefined),
    );
});
clientsClaim();
