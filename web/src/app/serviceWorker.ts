import { savesData } from "../player/dataSaver";
import type { SitePort } from "../ports/site";
import { serviceWorkers } from "../session/browserFeatures";

/** Updates of the site, for the page. */
export interface Updates extends Pick<SitePort, "updateWaiting" | "activateUpdate" | "replaceBuild" | "subscribe"> {
  /** Another page stored state from a newer build. */
  announce(): void;
  /** Reloads if no tab would lose anything, at most once an hour. Returns whether it did. */
  reloadWhenIdle(): Promise<boolean>;
}

const OUTBOX_TAG = "touchline-outbox";
/** Interval between checks for a new build in an open page, in milliseconds. */
const UPDATE_INTERVAL_MS = 60 * 60 * 1000;

/** Time until a failed installation of the first build is tried again, in milliseconds. It doubles each time. */
const INSTALL_INTERVAL_MS = 20 * 1000;

/** Minimum time between automatic reloads of a page, in milliseconds. */
const RELOAD_INTERVAL_MS = 60 * 60 * 1000;
const RELOADED_AT = "touchline:reloaded-at";

/** Background Sync is missing from the DOM library's types and from some browsers. */
type Syncing = ServiceWorkerRegistration & { readonly sync?: { register(tag: string): Promise<void> } };

/** The active registration. A page that is closing can't wait for it. */
let active: Syncing | null = null;

export interface UpdateDeps {
  reload(): void;
  /** Whether every tab can reload without losing anything. */
  isEveryTabIdle(): Promise<boolean>;
}

/** Records an automatic reload. Returns false if there was one within the hour, or if storage is unavailable. */
function recordReload(): boolean {
  try {
    const before = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Date.now() - before < RELOAD_INTERVAL_MS) return false;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}

/** Whether the current shell loads another script than this page did. */
async function isShellNewer(): Promise<boolean> {
  const script = new URL(import.meta.url).pathname;
  const shell = await fetch("/shell.html", { cache: "no-store", redirect: "error" });
  const text = await shell.text();
  return shell.ok && text.includes('id="touchline-config"') && !text.includes(script);
}

/** Resolves once an installing worker is waiting or has failed. */
function installed(worker: ServiceWorker | null): Promise<void> {
  if (worker === null || worker.state !== "installing") return Promise.resolve();
  return new Promise((resolve) => worker.addEventListener("statechange", () => resolve(), { once: true }));
}

/** Whether the first installation has failed: then there is no worker at all. */
async function hasFailed(registration: ServiceWorkerRegistration): Promise<boolean> {
  if (!registration.active) await installed(registration.installing);
  return !(registration.active || registration.waiting || registration.installing);
}

const isInstalled = (): boolean => window.matchMedia("(display-mode: standalone)").matches;

/** Registers the service worker. Plain HTTP outside localhost has none, and the site works without it. */
export function registerServiceWorker({ reload, isEveryTabIdle }: UpdateDeps): Updates {
  const listeners = new Set<() => void>();
  const container = serviceWorkers();
  let registration: ServiceWorkerRegistration | undefined;
  let isWaiting = false;
  function announce(): void {
    isWaiting = true;
    for (const listener of [...listeners]) listener();
  }
  function watch(installing: ServiceWorker | null): void {
    installing?.addEventListener("statechange", () => {
      if (registration?.waiting === installing && registration.active) announce();
    });
  }
  /** Registers until there is a worker: after a lost file, the browser would try again only at the next visit. */
  async function install(workers: ServiceWorkerContainer): Promise<ServiceWorkerRegistration> {
    for (let wait = INSTALL_INTERVAL_MS; ; wait *= 2) {
      try {
        registration = await workers.register("/sw.js");
        if (!(await hasFailed(registration))) return registration;
      } catch (error) {
        // Anything but a lost script is a permanent refusal.
        if (!(error instanceof TypeError)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  async function register(workers: ServiceWorkerContainer): Promise<void> {
    // Fetching the worker waits until the page has loaded.
    if (document.readyState !== "complete")
      await new Promise((resolve) => window.addEventListener("load", resolve, { once: true }));
    // The viewer accepted the update in another tab.
    if (workers.controller) workers.addEventListener("controllerchange", announce);
    const here = await install(workers);
    if (here.active && here.waiting) announce();
    watch(here.installing);
    here.addEventListener("updatefound", () => watch(here.installing));
    active = await workers.ready;
    setInterval(() => void here.update().catch(() => undefined), UPDATE_INTERVAL_MS);
  }
  function start(workers: ServiceWorkerContainer): void {
    // Without a registration the site continues from the network.
    register(workers).catch(() => undefined);
  }
  // With data saver on, only an installed site stores files ahead of their use.
  if (container && savesData() && !isInstalled())
    window.addEventListener("appinstalled", () => start(container), { once: true });
  else if (container) start(container);

  function activateUpdate(): void {
    // The update is active already: a reload is enough.
    if (!registration?.waiting) return reload();
    container?.addEventListener("controllerchange", reload);
    registration.waiting.postMessage({ type: "SKIP_WAITING" });
  }
  async function reloadWhenIdle(): Promise<boolean> {
    if (!(await isEveryTabIdle()) || !recordReload()) return false;
    activateUpdate();
    return true;
  }
  return {
    updateWaiting: () => isWaiting,
    announce,
    activateUpdate,
    reloadWhenIdle,
    async replaceBuild() {
      const here = registration;
      await here?.update().catch(() => undefined);
      await installed(here?.installing ?? null);
      const isNewer = here ? here.waiting !== null : await isShellNewer().catch(() => false);
      if (isNewer && !(await reloadWhenIdle())) announce();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Hands the outbox to the service worker, which sends it once no page leads any more. Fire and forget. */
export function leaveToServiceWorker(): void {
  serviceWorkers()?.controller?.postMessage({ type: "outbox-left" });
  // With Background Sync, the browser also wakes the worker when the network returns.
  active?.sync?.register(OUTBOX_TAG).catch(() => undefined);
}
