import { createRoot, type Root } from "react-dom/client";
import { speak, texts } from "../i18n/locale";
import type { Spoken } from "../i18n/texts";
import { languageOf } from "../lib/language";
import type { RootState } from "../slices";
import { selectPreference } from "../slices/preferences";
import { addressOf, ReplayedSite } from "./ReplayedSite";
import { createReplayedStore } from "./replayedStore";

// The entry of a bundle with one build's screens, for a window without a browser (web/replay/screens). A bundle of an
// earlier build has this file and those of this folder that it imports: they import nothing that may have been renamed.

/** The screens of one build in a window. */
export interface ScreenRealm {
  /** Renders a state, given as JSON, as it was at a time. */
  show(state: string, at: number, locale: string): Promise<void>;
  close(): void;
  /** The keys of the texts of the rendered state, by text. */
  readonly keys: ReadonlyMap<string, string>;
  /** The slices that the screen read. */
  readonly slices: ReadonlySet<string>;
  /** The actions that the screen dispatched since it was shown. */
  readonly actions: object[];
}

const keys = new Map<string, string>();
const slices = new Set<string>();
const actions: object[] = [];

/** The state, noting which of its slices are read. */
const traced = (state: RootState): RootState =>
  new Proxy(state, {
    get(target, name) {
      if (typeof name === "string") slices.add(name);
      return Reflect.get(target, name);
    },
  });

/** Records the key of each text that a screen asks for. */
function traceTexts(): void {
  const spokenNow = texts.spoken;
  let latest: readonly [of: Spoken, spoken: Spoken] | undefined;
  const spoken = (): Spoken => {
    const of = spokenNow();
    if (latest?.[0] === of) return latest[1];
    const t: Spoken["t"] = (key, values) => {
      const text = of.t(key, values);
      keys.set(text, key);
      return text;
    };
    latest = [of, { ...of, t }];
    return latest[1];
  };
  Object.assign(texts, { spoken });
}

traceTexts();
let root: Root | null = null;

const realm: ScreenRealm = {
  keys,
  slices,
  actions,
  async show(text, at, locale) {
    slices.clear();
    actions.length = 0;
    keys.clear();
    // Nothing is left of the state before.
    document.title = "";
    window.history.replaceState(null, "", "/");
    window.localStorage.clear();
    window.sessionStorage.clear();
    const state = traced(JSON.parse(text) as RootState);
    texts.wantsRest = true;
    await speak(languageOf(selectPreference("language")(state) ?? locale));
    const container = document.createElement("div");
    document.body.replaceChildren(container);
    const { store } = createReplayedStore(state);
    Object.assign(store, { dispatch: (action: object) => void actions.push(action) });
    root = createRoot(container);
    root.render(<ReplayedSite store={store} now={() => at} location={addressOf(state)} />);
  },
  close() {
    root?.unmount();
    root = null;
    document.body.replaceChildren();
  },
};

Object.assign(window, { touchlineScreens: realm });
