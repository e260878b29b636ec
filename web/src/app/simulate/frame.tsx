import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { Provider } from "react-redux";
import { createMemoryRouter, type RouteObject } from "react-router";
import { RouterProvider } from "react-router/dom";
import { NowContext } from "../../components/now";
import { languageOf, speak, startTexts } from "../../i18n/locale";
import { siteRoutes } from "../../screens/routes";
import type { RootState } from "../../slices";
import { selectPreference } from "../../slices/preferences";
import { applyChannelColours } from "../../theme/channelTheme";
import { FRAME_READY, isShowMessage, type ShowMessage } from "./place";
import { createReplayedStore, type ReplayedStore } from "./replayedStore";

/** Nothing may leave the frame: no call, no socket, no video. The browser holds it, whatever a screen tries. */
const POLICY = "connect-src 'none'; media-src 'none'; form-action 'none'";

/** The frame shares its origin's storages with the visitor's own page, so screens are given empty ones. */
function shutStorages(): void {
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

function shutNetwork(): void {
  const meta = document.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = POLICY;
  document.head.append(meta);
}

/** The address that the state says was open. */
function addressOf({ navigation: { current } }: RootState): string {
  if (!current) return "/";
  const query = new URLSearchParams(current.query).toString();
  return query === "" ? current.path : `${current.path}?${query}`;
}

/** The moment that is shown, as components ask for it. */
function createMoment() {
  const listeners = new Set<() => void>();
  let read = (): number => 0;
  return {
    set(at: number) {
      read = () => at;
      for (const listener of listeners) listener();
    },
    read: () => read,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Shows the site's screens over the states that the replayer's page sends. */
export function showReplayFrame(): void {
  shutNetwork();
  shutStorages();
  startTexts();
  const root = document.getElementById("root");
  if (!root) throw new Error("the shell has no place for the site");
  // The screens are looked at, not used; the page around them scrolls still.
  document.body.inert = true;

  const moment = createMoment();
  let shown: { readonly replayed: ReplayedStore; readonly router: ReturnType<typeof createMemoryRouter> } | null = null;
  let address = "";

  function Replayed({ replayed, router }: NonNullable<typeof shown>) {
    const now = useSyncExternalStore(moment.subscribe, moment.read);
    return (
      <NowContext.Provider value={now}>
        <Provider store={replayed.store}>
          <RouterProvider router={router} />
        </Provider>
      </NowContext.Provider>
    );
  }

  function show({ at, locale, state: given }: ShowMessage): void {
    const state = given as RootState;
    const { bootstrap } = state.catalogue;
    if (bootstrap) applyChannelColours(bootstrap["color-settings"], document.documentElement);
    void speak(languageOf(selectPreference("language")(state) ?? locale));
    moment.set(at);
    const next = addressOf(state);
    if (!shown) {
      const replayed = createReplayedStore(state);
      const routes: RouteObject[] = siteRoutes();
      shown = { replayed, router: createMemoryRouter(routes, { initialEntries: [next] }) };
      address = next;
      createRoot(root as HTMLElement).render(
        <StrictMode>
          <Replayed {...shown} />
        </StrictMode>,
      );
      return;
    }
    shown.replayed.show(state);
    if (next === address) return;
    address = next;
    void shown.router.navigate(next, { replace: true });
  }

  window.addEventListener("message", ({ data, origin, source }) => {
    if (origin === window.location.origin && source === window.parent && isShowMessage(data)) show(data);
  });
  window.parent.postMessage(FRAME_READY, window.location.origin);
}
