import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { speak } from "../i18n/locale";
import { languageOf } from "../lib/language";
import type { RootState } from "../slices";
import { selectPreference } from "../slices/preferences";
import { applyChannelColours } from "../theme/channelTheme";
import { FRAME_READY, isShowMessage, type ShowMessage } from "./paths";
import { addressOf, ReplayedSite } from "./ReplayedSite";
import { createReplayedStore, type ReplayedStore } from "./replayedStore";

/** The frame must not send or load anything. The browser enforces it. */
const POLICY = "connect-src 'none'; media-src 'none'; form-action 'none'";

/** The frame shares its origin's storage with the visitor's page, so screens get empty ones. */
function blockStorages(): void {
  for (const name of ["localStorage", "sessionStorage"] as const) {
    const items = new Map<string, string>();
    const storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> = {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
    };
    Object.defineProperty(window, name, { value: storage });
  }
}

function blockNetwork(): void {
  const meta = document.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = POLICY;
  document.head.append(meta);
}

/** A value that components subscribe to. */
function createObservable<T>(first: T) {
  const listeners = new Set<() => void>();
  let current = first;
  return {
    set(next: T) {
      current = next;
      for (const listener of listeners) listener();
    },
    read: () => current,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Renders the site's screens for the states that the replayer's page sends. */
export function showReplayFrame(): void {
  blockNetwork();
  blockStorages();
  const root = document.getElementById("root");
  if (!root) throw new Error("the shell has no place for the site");
  // Screens are for viewing only; the surrounding page still scrolls.
  document.body.inert = true;

  const moment = createObservable((): number => 0);
  const address = createObservable("/");
  let current: ReplayedStore | null = null;

  function Replayed({ replayed }: { readonly replayed: ReplayedStore }) {
    const now = useSyncExternalStore(moment.subscribe, moment.read);
    const location = useSyncExternalStore(address.subscribe, address.read);
    return <ReplayedSite store={replayed.store} now={now} location={location} />;
  }

  function show({ at, locale, state: given }: ShowMessage): void {
    const state = given as RootState;
    const { bootstrap } = state.catalogue;
    if (bootstrap) applyChannelColours(bootstrap["color-settings"], document.documentElement);
    void speak(languageOf(selectPreference("language")(state) ?? locale));
    moment.set(() => at);
    if (!current) {
      current = createReplayedStore(state);
      address.set(addressOf(state));
      createRoot(root as HTMLElement).render(
        <StrictMode>
          <Replayed replayed={current} />
        </StrictMode>,
      );
      return;
    }
    current.show(state);
    address.set(addressOf(state));
  }

  window.addEventListener("message", ({ data, origin, source }) => {
    if (origin === window.location.origin && source === window.parent && isShowMessage(data)) show(data);
  });
  window.parent.postMessage(FRAME_READY, window.location.origin);
}
