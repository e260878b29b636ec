import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { JSDOM, VirtualConsole } from "jsdom";
import type { State } from "../../src/eventlog/envelope";
import type { ScreenRealm } from "../../src/simulate/screenRealm";
import { type Item, itemsOf } from "./items";
import { openTimers } from "./timers";

/** A moment of a session. */
export interface Moment {
  readonly state: State;
  /** Unix milliseconds. */
  readonly at: number;
  /** The log's. */
  readonly locale: string;
}

export interface Rendered {
  readonly items: readonly Item[];
  /** The slices that the screen read. */
  readonly slices: readonly string[];
}

/** A screen that is rendered. */
export interface OpenScreen {
  items(): readonly Item[];
  /** The actions that it dispatched without input. */
  readonly ownActions: readonly PlainAction[];
  /** Presses an element; returns the actions that it dispatches. */
  press(element: Element): Promise<readonly PlainAction[]>;
  /** Whether the document has changed since the last press. */
  hasChanged(): boolean;
}

export interface PlainAction {
  readonly type: string;
  readonly payload?: unknown;
}

/** The screens of one build. */
export interface Screens {
  /** Renders a moment until the words are still. */
  render(moment: Moment): Promise<Rendered>;
  /** Renders a moment for `visit`. Throws if the screen is never still. */
  open<Result>(moment: Moment, visit: (screen: OpenScreen) => Promise<Result>): Promise<Result>;
  close(): void;
}

/** Virtual time that each screen gets: parts that load late are revealed within half a second. */
const SETTLING_MS = 1_000;

/** Addresses of the screens; nothing is loaded from there. */
const ORIGIN = "https://replay.invalid/";

/** The parts of a browser that jsdom lacks. It has no layout: nothing is ever in view. */
function completeBrowser(window: JSDOM["window"]): void {
  class NoObserver {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  }
  const { prototype: element } = window.Element;
  const { prototype: dialog } = window.HTMLDialogElement;
  const { prototype: media } = window.HTMLMediaElement;
  Object.assign(element, {
    scrollIntoView: () => undefined,
    animate: () => ({ finished: new Promise(() => undefined) }),
  });
  Object.assign(dialog, {
    showModal(this: HTMLDialogElement) {
      this.open = true;
    },
    close(this: HTMLDialogElement) {
      this.open = false;
    },
  });
  Object.assign(media, { load: () => undefined, pause: () => undefined, play: async () => undefined });
  const noTracks = () => Object.assign(new window.EventTarget(), { length: 0, [Symbol.iterator]: [][Symbol.iterator] });
  Object.defineProperty(media, "textTracks", { get: noTracks });
  Object.assign(window.URL, { createObjectURL: () => "blob:saved", revokeObjectURL: () => undefined });
  Object.assign(window, {
    scrollTo: () => undefined,
    // A handler that throws dispatches nothing, which is what is compared.
    reportError: () => undefined,
    IntersectionObserver: NoObserver,
    ResizeObserver: NoObserver,
    matchMedia: (media: string) => ({
      matches: false,
      media,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }),
    structuredClone,
    TextEncoder,
    TextDecoder,
  });
}

/** Opens a bundle of `bundleScreens` in a window of its own, on virtual time and without a network. */
export function openScreens(bundle: string): Screens {
  const dom = new JSDOM("<!doctype html><html><head></head><body></body></html>", {
    url: ORIGIN,
    runScripts: "outside-only",
    // What a screen writes to the console is of no interest.
    virtualConsole: new VirtualConsole(),
  });
  const { window } = dom;
  completeBrowser(window);
  const timers = openTimers(window);
  new Script(readFileSync(bundle, "utf8"), { filename: bundle }).runInContext(dom.getInternalVMContext());
  const realm = (window as unknown as { touchlineScreens: ScreenRealm }).touchlineScreens;

  /** The actions since the last call, as plain objects of this realm. */
  function takeActions(): PlainAction[] {
    const text = JSON.stringify(realm.actions);
    realm.actions.length = 0;
    return JSON.parse(text) as PlainAction[];
  }

  const items = (): readonly Item[] => itemsOf(window.document, realm.keys);

  let changed = false;
  const observer = new window.MutationObserver(() => {
    changed = true;
  });
  observer.observe(window.document, { subtree: true, childList: true, characterData: true, attributes: true });

  async function open<Result>(
    { state, at, locale }: Moment,
    visit: (screen: OpenScreen) => Promise<Result>,
  ): Promise<Result> {
    try {
      await realm.show(JSON.stringify(state), at, locale);
      await timers.settle(SETTLING_MS);
      const screen: OpenScreen = {
        hasChanged: () => changed,
        items,
        ownActions: takeActions(),
        async press(element) {
          changed = false;
          (element as HTMLElement).click();
          await timers.settle(SETTLING_MS);
          return takeActions();
        },
      };
      return await visit(screen);
    } finally {
      realm.close();
    }
  }

  return {
    open,
    async render(moment) {
      try {
        return { items: await open(moment, async () => items()), slices: [...realm.slices] };
      } catch (error) {
        return { items: [{ role: "screen", label: String(error), state: [] }], slices: [...realm.slices] };
      }
    },
    close: () => window.close(),
  };
}
