import type { SitePort } from "../ports/site";

/** The site's updates, as a page shows them. */
export interface Updates extends Pick<SitePort, "updateWaiting" | "activateUpdate" | "replaceBuild" | "subscribe"> {
  /** This page is of an older build than what another one stored. */
  announce(): void;
}

const OUTBOX_TAG = "touchline-outbox";
/** How often a page that stays open looks for a newer build, milliseconds. */
const UPDATE_INTERVAL_MS = 60 * 60 * 1000;

/** A page takes a newer build by itself once in this time, milliseconds. */
const REPLACE_INTERVAL_MS = 60 * 60 * 1000;
const REPLACED_AT = "touchline:replaced-at";

/** Background Sync is not in the DOM library's types, and not in every browser. */
type Syncing = ServiceWorkerRegistration & { readonly sync?: { register(tag: string): Promise<void> } };

/** The registration that controls the page, once there is one: a page that goes away cannot wait to be told it. */
let active: Syncing | null = null;

export interface UpdateDeps {
  /** Loads the page again. */
  reload(): void;
  /** Whether every tab can load again without losing anything. */
  isEveryTabCalm(): Promise<boolean>;
}

/** Notes a replacement by the page itself. Returns false if there was one within the hour, or no storage to tell. */
function noteReplacement(): boolean {
  try {
    const before = Number(sessionStorage.getItem(REPLACED_AT) ?? 0);
    if (Date.now() - before < REPLACE_INTERVAL_MS) return false;
    sessionStorage.setItem(REPLACED_AT, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}

/** Whether the site's current shell starts from another script than this page did. */
async function isShellNewer(): Promise<boolean> {
  const script = new URL(import.meta.url).pathname;
  const shell = await fetch("/shell.html", { cache: "no-store", redirect: "error" });
  const text = await shell.text();
  return shell.ok && text.includes('id="touchline-config"') && !text.includes(script);
}

/** Settles once a worker that is being installed waits, or failed. */
function installed(worker: ServiceWorker | null): Promise<void> {
  if (worker === null || worker.state !== "installing") return Promise.resolve();
  return new Promise((resolve) => worker.addEventListener("statechange", () => resolve(), { once: true }));
}

/** Whether the viewer saves data and has not installed the site: then no build is fetched ahead of its use. */
const savesData = (): boolean =>
  (navigator as { readonly connection?: { readonly saveData?: boolean } }).connection?.saveData === true &&
  !window.matchMedia("(display-mode: standalone)").matches;

/** Registers the service worker. Plain HTTP outside localhost has none, and the site works without it. */
export function registerServiceWorker({ reload, isEveryTabCalm }: UpdateDeps): Updates {
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
    setInterval(() => void here.update().catch(() => undefined), UPDATE_INTERVAL_MS);
  }
  function start(workers: ServiceWorkerContainer): void {
    // Without a registration the site continues from the network.
    register(workers).catch(() => undefined);
  }
  if (container && savesData()) window.addEventListener("appinstalled", () => start(container), { once: true });
  else if (container) start(container);

  function activateUpdate(): void {
    // The update is active already: a reload is enough.
    if (!registration?.waiting) return reload();
    container?.addEventListener("controllerchange", reload);
    registration.waiting.postMessage({ type: "SKIP_WAITING" });
  }
  return {
    updateWaiting: () => isWaiting,
    announce,
    activateUpdate,
    async replaceBuild() {
      const here = registration;
      await here?.update().catch(() => undefined);
      await installed(here?.installing ?? null);
      const isNewer = here ? here.waiting !== null : await isShellNewer().catch(() => false);
      if (!isNewer) return;
      if ((await isEveryTabCalm()) && noteReplacement()) activateUpdate();
      else announce();
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
