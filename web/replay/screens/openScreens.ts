import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { JSDOM } from "jsdom";
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

/** The screens of one build. */
export interface Screens {
  /** Renders a moment until the words are still. */
  render(moment: Moment): Promise<Rendered>;
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
  Object.assign(window, {
    scrollTo: () => undefined,
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
  });
  const { window } = dom;
  completeBrowser(window);
  const timers = openTimers(window);
  new Script(readFileSync(bundle, "utf8"), { filename: bundle }).runInContext(dom.getInternalVMContext());
  const realm = (window as unknown as { touchlineScreens: ScreenRealm }).touchlineScreens;

  return {
    async render({ state, at, locale }) {
      try {
        await realm.show(JSON.stringify(state), at, locale);
        await timers.settle(SETTLING_MS);
        return { items: itemsOf(window.document, realm.keys), slices: [...realm.slices] };
      } catch (error) {
        return { items: [{ role: "screen", label: String(error), state: [] }], slices: [...realm.slices] };
      } finally {
        realm.close();
      }
    },
    close: () => window.close(),
  };
}
