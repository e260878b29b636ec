// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { registerServiceWorker } from "./serviceWorker";

/** A browser's container of service workers, with one build in use and perhaps a newer one that waits. */
function container({ hasNewer = false } = {}) {
  const posted: unknown[] = [];
  const waiting = { postMessage: (message: unknown) => posted.push(message) };
  const registration = Object.assign(new EventTarget(), {
    active: {},
    installing: null,
    waiting: null as typeof waiting | null,
    update: async () => {
      if (hasNewer) registration.waiting = waiting;
    },
  });
  const workers = Object.assign(new EventTarget(), {
    controller: {},
    register: vi.fn(async () => registration),
    ready: Promise.resolve(registration),
  });
  Object.defineProperty(navigator, "serviceWorker", { value: workers, configurable: true });
  return { workers, posted };
}

/** A browser without a worker yet. Each registration installs one, until `end` says how that went. */
function firstBuild() {
  let registration = new EventTarget() as EventTarget & Record<"active" | "installing" | "waiting", EventTarget | null>;
  const workers = Object.assign(new EventTarget(), {
    controller: null,
    register: vi.fn(async () => {
      const installing = Object.assign(new EventTarget(), { state: "installing" });
      registration = Object.assign(new EventTarget(), { active: null, installing, waiting: null });
      return registration;
    }),
    ready: new Promise(() => undefined),
  });
  Object.defineProperty(navigator, "serviceWorker", { value: workers, configurable: true });
  function end(isInstalled: boolean): void {
    const { installing } = registration;
    Object.assign(registration, { installing: null, waiting: isInstalled ? installing : null });
    installing?.dispatchEvent(new Event("statechange"));
  }
  return { workers, end };
}

const shell = (text: string) => vi.stubGlobal("fetch", async () => new Response(text));
const settle = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  sessionStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});
afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, "serviceWorker");
  Reflect.deleteProperty(navigator, "connection");
});

async function open({ idle = true } = {}) {
  const reload = vi.fn();
  const updates = registerServiceWorker({ reload, isEveryTabIdle: async () => idle });
  await settle();
  return { updates, reload };
}

describe("a file of the page's build that did not arrive", () => {
  it("activates the newer build, and reloads once that is in control", async () => {
    const { workers, posted } = container({ hasNewer: true });
    const { updates, reload } = await open();
    await updates.replaceBuild();
    expect(posted).toEqual([{ type: "SKIP_WAITING" }]);
    workers.dispatchEvent(new Event("controllerchange"));
    expect(reload).toHaveBeenCalledOnce();
  });

  it("replaces the build once an hour at most, then leaves it to the viewer", async () => {
    const { posted } = container({ hasNewer: true });
    const { updates } = await open();
    await updates.replaceBuild();
    await updates.replaceBuild();
    expect(posted).toHaveLength(1);
    expect(updates.updateWaiting()).toBe(true);
  });

  it("leaves it to the viewer while a tab would lose something, or there is no storage to count", async () => {
    const { posted } = container({ hasNewer: true });
    const { updates } = await open({ idle: false });
    await updates.replaceBuild();
    vi.stubGlobal("sessionStorage", undefined);
    const other = await open();
    await other.updates.replaceBuild();
    expect(posted).toEqual([]);
    expect(updates.updateWaiting()).toBe(true);
  });

  it("does nothing if there is no newer build", async () => {
    const { posted } = container();
    const { updates, reload } = await open();
    await updates.replaceBuild();
    expect([posted, reload.mock.calls, updates.updateWaiting()]).toEqual([[], [], false]);
  });

  it("without a service worker reloads if the site's shell has another script", async () => {
    shell('<script id="touchline-config"></script><link href="/assets/site-newer00.js">');
    const { updates, reload } = await open();
    await updates.replaceBuild();
    expect(reload).toHaveBeenCalledOnce();
    shell("<h1>Welcome to the Wi-Fi</h1>");
    sessionStorage.clear();
    await updates.replaceBuild();
    expect(reload).toHaveBeenCalledOnce();
  });
});

describe("a database that opens late", () => {
  it("reloads the page once an hour at most, and never while a tab would lose something", async () => {
    container();
    const busy = await open({ idle: false });
    expect(await busy.updates.reloadWhenIdle()).toBe(false);
    const { updates, reload } = await open();
    expect([await updates.reloadWhenIdle(), await updates.reloadWhenIdle()]).toEqual([true, false]);
    expect([busy.reload.mock.calls.length, reload.mock.calls.length]).toEqual([0, 1]);
  });
});

describe("a first build that could not be installed", () => {
  it("is tried again until it is, and no longer", async () => {
    vi.useFakeTimers();
    const { workers, end } = firstBuild();
    workers.register.mockRejectedValueOnce(new TypeError("the script did not arrive"));
    registerServiceWorker({ reload: vi.fn(), isEveryTabIdle: async () => true });
    let waited = 0;
    for (const [count, wait] of [0, 20_000, 40_000, 80_000].entries()) {
      await vi.advanceTimersByTimeAsync(wait - waited);
      expect(workers.register).toHaveBeenCalledTimes(count + 1);
      if (count > 0) end(count === 3);
      // Shortly before the next attempt there is none.
      await vi.advanceTimersByTimeAsync(19_000);
      waited = 19_000;
      expect(workers.register).toHaveBeenCalledTimes(count + 1);
    }
    await vi.advanceTimersByTimeAsync(600_000);
    expect(workers.register).toHaveBeenCalledTimes(4);
    vi.useRealTimers();
  });
});

describe("a viewer who saves data", () => {
  it("has no build fetched ahead until the site is installed", async () => {
    const { workers } = container();
    Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true });
    await open();
    expect(workers.register).not.toHaveBeenCalled();
    window.dispatchEvent(new Event("appinstalled"));
    await settle();
    expect(workers.register).toHaveBeenCalledOnce();
  });
});
