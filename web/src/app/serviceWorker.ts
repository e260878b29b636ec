import type { Workbox } from "workbox-window";
import type { SitePort } from "../ports/site";

/** The site's updates, as a page shows them. */
export interface Updates extends Pick<SitePort, "updateWaiting" | "takeUpdate" | "subscribe"> {
  /** This page is of an older build than what another one stored. */
  announce(): void;
}

const OUTBOX_TAG = "touchline-outbox";
/** How often a page that stays open looks for a newer build, milliseconds. */
const LOOK_EVERY_MS = 60 * 60 * 1000;

/** Background Sync is not in the DOM library's types, and not in every browser. */
type Syncing = ServiceWorkerRegistration & { readonly sync?: { register(tag: string): Promise<void> } };

/** The registration that controls the page, once there is one: a page that goes away cannot wait to be told it. */
let active: Syncing | null = null;

/** Registers the service worker; on plain HTTP away from localhost there is none, and the site works without. */
export function registerServiceWorker(reload: () => void): Updates {
  const listeners = new Set<() => void>();
  let workbox: Workbox | null = null;
  let registration: ServiceWorkerRegistration | undefined;
  let isWaiting = false;
  function announce(): void {
    isWaiting = true;
    for (const listener of [...listeners]) listener();
  }
  async function register(): Promise<void> {
    const worker = new (await import("workbox-window")).Workbox("/sw.js");
    workbox = worker;
    worker.addEventListener("waiting", announce);
    // The viewer took it in another tab.
    worker.addEventListener("controlling", ({ isUpdate }) => {
      if (isUpdate) announce();
    });
    registration = await worker.register();
    active = await navigator.serviceWorker.ready;
    setInterval(() => void worker.update().catch(() => undefined), LOOK_EVERY_MS);
  }
  // Without a registration the site goes on from the network.
  if ("serviceWorker" in navigator) register().catch(() => undefined);
  return {
    updateWaiting: () => isWaiting,
    announce,
    takeUpdate() {
      // It has come already: a reload is all that is left to do.
      if (!registration?.waiting) return reload();
      workbox?.addEventListener("controlling", reload);
      workbox?.messageSkipWaiting();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Leaves what waits to the service worker, which sends when no page leads any more. Nothing here can be waited for. */
export function leaveToServiceWorker(): void {
  navigator.serviceWorker?.controller?.postMessage({ type: "outbox-left" });
  // Where the browser has such a thing, also for when there is a network again.
  active?.sync?.register(OUTBOX_TAG).catch(() => undefined);
}
