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
  const { serviceWorker: container } = navigator as { readonly serviceWorker?: ServiceWorkerContainer };
  let registration: ServiceWorkerRegistration | undefined;
  let isWaiting = false;
  function announce(): void {
    isWaiting = true;
    for (const listener of [...listeners]) listener();
  }
  /** Tells of a build that waits behind the one that is in use. */
  function watch(installing: ServiceWorker | null): void {
    installing?.addEventListener("statechange", () => {
      if (registration?.waiting === installing && registration.active) announce();
    });
  }
  async function register(workers: ServiceWorkerContainer): Promise<void> {
    // What it fetches comes after all that the page itself waits for.
    if (document.readyState !== "complete")
      await new Promise((resolve) => window.addEventListener("load", resolve, { once: true }));
    // The viewer took it in another tab.
    if (workers.controller) workers.addEventListener("controllerchange", announce);
    const here = await workers.register("/sw.js");
    registration = here;
    if (here.waiting) announce();
    watch(here.installing);
    here.addEventListener("updatefound", () => watch(here.installing));
    active = await workers.ready;
    setInterval(() => void here.update().catch(() => undefined), LOOK_EVERY_MS);
  }
  // Without a registration the site goes on from the network.
  if (container) register(container).catch(() => undefined);
  return {
    updateWaiting: () => isWaiting,
    announce,
    takeUpdate() {
      // It has come already: a reload is all that is left to do.
      if (!registration?.waiting) return reload();
      container?.addEventListener("controllerchange", reload);
      registration.waiting.postMessage({ type: "SKIP_WAITING" });
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
