import { fireEvent } from "@testing-library/dom";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { createRoot, type Root } from "react-dom/client";
import { vi } from "vitest";
import { takeArrival } from "../../app/arrival";
import { startSite } from "../../app/site";
import { openStateDatabase } from "../../storage/stateDatabase";
import { Locks } from "../../tabs/testing/locks";
import type { FakeChannel } from "./channel";
import { channelClock } from "./channel/clock";
import type { Person } from "./channel/people";
import { socketOf } from "./channel/sockets";
import { VirtualMedia } from "./media";

/** The wall clock when a journey starts: a Saturday noon in Chicago. */
const STARTED = Date.UTC(2026, 10, 21, 18, 0);
/** Virtual milliseconds between two checks of the page. */
const STEP_MS = 5;
/** Timeout of waiting, in virtual and in real milliseconds. */
const TIMEOUT_MS = 20_000;
const REAL_TIMEOUT_MS = 40_000;
/** Waits of at least this length advance in longer steps, in milliseconds. */
const LONG_MS = 2_000;
/** Number of checks between two waits for code that is being loaded, which takes real time. */
const CHECKS_PER_LOADING = 20;

/** Turns of the event loop in which a database commits a closing page's writes. */
const CLOSING_TURNS = 30;

const systemPerformance = performance;
const now = performance.now.bind(performance);
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Advances virtual time with due timers, without any real waiting. */
async function step(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await turn();
  await turn();
}

/** jsdom has no layout: nothing is ever in view, and nothing has a size. */
class NoIntersectionObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** The browser has one tab: nobody receives its messages. */
class NoListeners {
  onmessage = null;
  postMessage(): void {}
  close(): void {}
}

/** The parts of a browser that jsdom lacks. */
function completeBrowser(): void {
  // The page is visible.
  Object.defineProperties(document, {
    hidden: { configurable: true, value: false },
    visibilityState: { configurable: true, value: "visible" },
  });
  window.scrollTo = () => undefined;
  Element.prototype.scrollIntoView = () => undefined;
  window.IntersectionObserver = NoIntersectionObserver as unknown as typeof IntersectionObserver;
  window.ResizeObserver = NoIntersectionObserver as unknown as typeof ResizeObserver;
  window.matchMedia = (media) =>
    ({ matches: false, media, addEventListener: () => undefined, removeEventListener: () => undefined }) as never;
  URL.createObjectURL = (blob) => {
    saved.push(blob as Blob);
    return "blob:saved";
  };
  URL.revokeObjectURL = () => undefined;
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}
const saved: Blob[] = [];

interface Loaded {
  readonly root: Root;
  readonly container: HTMLElement;
  readonly listeners: (() => void)[];
}

/** One tab of a browser that runs the whole site, over a fake channel and on virtual time. */
export class VirtualBrowser {
  /** Errors that the site reported or did not handle. */
  readonly faults: unknown[] = [];
  /** Addresses outside the site that it opened. */
  readonly left: string[] = [];
  /** The configuration of each page from here on. */
  config = {
    channel_key: "northfield",
    language: "en",
    name: "Northfield Sports Network",
    scheme: "dark",
    colors: {},
    public: { analytics_allow_localhost: true, build: "journey" },
  };
  /** The media elements of its pages. */
  readonly media: VirtualMedia;
  private readonly locks = new Locks();
  private loaded: Loaded | null = null;
  private loads = 0;
  private isOnline = true;
  private isStarting = false;
  /** Whether the page requested its reload. */
  private wantsReload = false;

  constructor(readonly channel: FakeChannel) {
    completeBrowser();
    this.media = new VirtualMedia(channel);
    sessionStorage.clear();
    localStorage.clear();
    saved.length = 0;
    Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange, BroadcastChannel: NoListeners });
    Object.defineProperty(navigator, "onLine", { configurable: true, get: () => this.isOnline });
    // React works as for a viewer, not as in a component's test.
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  }

  /**
   * Sets the time before a journey starts, where the device's clock may be wrong by `error` ms. Call it before creating
   * the channel.
   */
  static startClock(error = 0): void {
    channelClock.offset = -error;
    vi.useFakeTimers({
      now: STARTED + error,
      toFake: [
        "setTimeout",
        "clearTimeout",
        "setInterval",
        "clearInterval",
        "Date",
        "performance",
        "requestAnimationFrame",
        "cancelAnimationFrame",
      ],
    });
    // React interrupts renderings by the clock that existed when it was loaded. On virtual time it finishes each.
    vi.spyOn(systemPerformance, "now").mockImplementation(() => performance.now());
  }

  /** Sets the device's clock, in the middle of a page. */
  setClock(error: number): void {
    vi.setSystemTime(Date.now() + channelClock.offset + error);
    channelClock.offset = -error;
  }

  /** Loads a page of the site by its address. */
  async goto(path: string): Promise<void> {
    await this.unload();
    window.history.replaceState(null, "", path);
    await this.load();
  }

  /** Loads the page again. */
  async reload(): Promise<void> {
    this.wantsReload = false;
    await this.unload();
    await this.load();
  }

  /** The open page's path and query. */
  get address(): string {
    return window.location.pathname + window.location.search;
  }

  /** Goes back by the browser's button. */
  back(): void {
    window.history.back();
  }

  /** Switches the network off or on. */
  setOnline(isOnline: boolean): void {
    this.isOnline = isOnline;
    this.channel.reachable = isOnline;
    this.channel.sockets.reachable = isOnline;
    if (!isOnline) this.channel.sockets.drop();
    window.dispatchEvent(new Event(isOnline ? "online" : "offline"));
  }

  /**
   * Changes the network without the browser's notice: it refuses requests, leaves them without an answer, or answers
   * each with a portal's page or a proxy's error. A silent network keeps its open sockets; what it lost stays lost.
   */
  setNetwork(network: "works" | "refused" | "silent" | "portal" | "restarting"): void {
    const { channel } = this;
    channel.silent = network === "silent";
    channel.sockets.silent = channel.silent;
    channel.reachable = network !== "refused";
    channel.intermediary = network === "portal" ? 200 : network === "restarting" ? 502 : null;
    channel.sockets.reachable = channel.reachable && channel.intermediary === null;
    if (network !== "silent" && !channel.sockets.reachable) channel.sockets.drop();
  }

  /** Waits for code that is being loaded, then advances virtual time with all due timers. */
  async pass(ms: number): Promise<void> {
    await vi.dynamicImportSettled();
    const end = Date.now() + ms;
    do await this.step(Math.min(ms > LONG_MS ? STEP_MS * 10 : STEP_MS, end - Date.now()));
    while (Date.now() < end);
  }

  /** Advances until `holds` no longer throws. */
  async until<T>(holds: () => T, shouldCheck: () => boolean = () => true): Promise<T> {
    const started = Date.now();
    const startedReal = now();
    let failure: unknown;
    for (let looks = 0; ; looks += 1) {
      if (looks === 0 || shouldCheck())
        try {
          return holds();
        } catch (error) {
          failure = error;
        }
      const isOver = Date.now() - started > TIMEOUT_MS && now() - startedReal > REAL_TIMEOUT_MS / 10;
      if (isOver || now() - startedReal > REAL_TIMEOUT_MS) throw failure;
      if (looks % CHECKS_PER_LOADING === CHECKS_PER_LOADING - 1) await vi.dynamicImportSettled();
      await this.step(STEP_MS);
    }
  }

  private async step(ms: number): Promise<void> {
    await step(ms);
    if (this.wantsReload && !this.isStarting) await this.reload();
  }

  /** The same for the page's content: checked again only after it has changed. */
  async untilDisplayed<T>(holds: () => T): Promise<T> {
    let hasChanged = false;
    const watch = new MutationObserver(() => {
      hasChanged = true;
    });
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    try {
      return await this.until(holds, () => {
        const looks = hasChanged;
        hasChanged = false;
        return looks;
      });
    } finally {
      watch.disconnect();
    }
  }

  /** The texts of the files that the site saved. */
  savedFiles(): Promise<string[]> {
    return Promise.all(saved.map((blob) => blob.text()));
  }

  /** Signs a person in without the form: this browser has their key. Call it before the first page is loaded. */
  async holdKey(person: Person): Promise<void> {
    const record = {
      channel_key: "northfield",
      api_key: this.channel.state.people.issueKey(person),
      user_id: person.id,
    };
    const stored = openStateDatabase().storage("account").setItem("keys", record);
    let isStored = false;
    stored.then(() => {
      isStored = true;
    });
    await this.until(() => {
      if (!isStored) throw new Error("the key is not stored");
    });
  }

  /** Closes the page. */
  async close(): Promise<void> {
    try {
      await this.unload();
    } finally {
      document.head.innerHTML = "";
      document.body.innerHTML = "";
      vi.mocked(systemPerformance.now).mockRestore();
      vi.useRealTimers();
    }
  }

  private async load(): Promise<void> {
    this.loads += 1;
    const load = this.loads;
    const listeners = trackListeners(window, document);
    const { channel } = this;
    const tab = { isFrozen: false, late: [] };
    Object.assign(window, {
      // A closed page receives no answers.
      fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
        const answer = await channel.fetch(input, init).catch((error: unknown) => error as Error);
        if (load !== this.loads) return new Promise(() => undefined);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      WebSocket: socketOf(channel),
    });
    Object.defineProperty(navigator, "locks", { configurable: true, value: this.locks.managerOf(tab) });
    listeners.push(() => this.locks.gone(tab));
    delete document.documentElement.dataset.settled;
    document.head.innerHTML = `<script type="application/json" id="touchline-config">${JSON.stringify(this.config)}</script>`;
    document.body.innerHTML = '<div id="root"></div>';
    const rootElement = document.getElementById("root") as HTMLElement;
    const root = createRoot(rootElement);
    this.loaded = { root, container: rootElement, listeners };
    this.isStarting = true;
    this.wantsReload = false;
    const report = (error: unknown): void => {
      if (load === this.loads) this.faults.push(error);
    };
    await startOver(
      startSite({
        root,
        arrival: takeArrival(window),
        install: { installable: () => false, install: () => undefined, subscribe: () => () => undefined },
        started: () => undefined,
        reload: () => {
          this.wantsReload = true;
        },
        openUrl: (url) => void this.left.push(url),
        report,
      }),
      (holds) => this.until(holds),
    );
    this.isStarting = false;
    if (this.wantsReload) await this.reload();
  }

  private async unload(): Promise<void> {
    if (!this.loaded) return;
    const { root, listeners } = this.loaded;
    this.loaded = null;
    fireEvent(window, new Event("pagehide"));
    // A closed page's last writes are still committed.
    for (let write = 0; write < CLOSING_TURNS; write += 1) await this.pass(1);
    this.loads += 1;
    root.unmount();
    for (const remove of listeners) remove();
    this.channel.sockets.drop();
    // Clearing resets the clock to its start.
    const closedAt = Date.now();
    vi.clearAllTimers();
    vi.setSystemTime(closedAt);
    await turn();
  }
}

/** Advances virtual time until `work` is done. */
async function startOver(work: Promise<void>, until: (holds: () => void) => Promise<void>): Promise<void> {
  let outcome: { error: unknown } | "done" | null = null;
  work.then(
    () => {
      outcome = "done";
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  await until(() => {
    if (outcome === null) throw new Error("the site has not started");
  });
  if (outcome !== "done") throw (outcome as unknown as { error: unknown }).error;
}

/** Tracks new listeners, since a closed page receives no events. Returns their removal functions. */
function trackListeners(...targets: (Window | Document)[]): (() => void)[] {
  const removals: (() => void)[] = [];
  for (const target of targets) {
    const original = target.addEventListener;
    target.addEventListener = function add(this: typeof target, ...args: Parameters<typeof original>) {
      original.apply(target, args);
      removals.push(() => target.removeEventListener(args[0], args[1], args[2]));
    } as typeof original;
    removals.push(() => {
      target.addEventListener = original;
    });
  }
  return removals;
}
