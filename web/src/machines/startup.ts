import { SECOND } from "../lib/time";
import { defineMachine } from "./machine";

/** Parts of loading. `profile` is skipped for an anonymous key. */
export type StartupPart = "profile" | "participants" | "channel";
export type StartupProgress = { readonly [P in StartupPart]?: "loaded" | "failed" };
export type KeyStage = "channelKey" | "apiKey";

/** START-1..5. The page's own process, restarted with each load. */
export type Startup =
  | { readonly at: "idle" }
  | { readonly at: "channelKey" }
  | { readonly at: "apiKey" }
  | { readonly at: "loading"; readonly parts: StartupProgress; readonly stale: boolean }
  /** `stale`: from the snapshot, with the worker unreachable. `refreshing`: its calls are running. */
  | { readonly at: "ready"; readonly stale: boolean; readonly refreshing: boolean }
  /** `reloadAt`: time from which a reload is offered, in Unix milliseconds. `left`: seconds until then. */
  | { readonly at: "keyFailed"; readonly stage: KeyStage; readonly reloadAt: number; readonly left: number };

export interface StartupFacts {
  /** With a stored key and a snapshot the site is visible at once. */
  began: { shown: boolean };
  channelKeyHeld: undefined;
  apiKeyHeld: undefined;
  keyFailed: { stage: KeyStage; reload_at: number; left: number };
  countdownTicked: { left: number };
  reloadPressed: undefined;
  partLoaded: { part: StartupPart };
  partFailed: { part: StartupPart };
  readied: undefined;
  refreshBegan: undefined;
  refreshed: undefined;
  /** The worker was unreachable, so the page shows old data. */
  wentStale: undefined;
}

/** Delay before the error screen's reload button is enabled. */
export const RELOAD_AFTER = 60 * SECOND;

const start = {
  to: ["channelKey", "ready"],
  move: (_: Startup, { shown }: StartupFacts["began"]): Startup =>
    shown ? { at: "ready", stale: false, refreshing: true } : { at: "channelKey" },
} as const;

const keyFailed = {
  to: ["keyFailed"],
  move: (_: Startup, { stage, reload_at, left }: StartupFacts["keyFailed"]): Startup => ({
    at: "keyFailed",
    stage,
    reloadAt: reload_at,
    left,
  }),
} as const;

export const startup = defineMachine<Startup, StartupFacts>(
  "startup",
  { at: "idle" },
  {
    idle: { began: start, wentStale: "ignore", reloadPressed: "ignore" },
    channelKey: {
      began: start,
      wentStale: "ignore",
      channelKeyHeld: { to: ["apiKey"], move: () => ({ at: "apiKey" }) },
      keyFailed,
      reloadPressed: "ignore",
    },
    apiKey: {
      began: start,
      wentStale: "ignore",
      apiKeyHeld: { to: ["loading"], move: () => ({ at: "loading", parts: {}, stale: false }) },
      keyFailed,
      reloadPressed: "ignore",
    },
    loading: {
      began: start,
      partLoaded: {
        to: ["loading"],
        move: (state, { part }) => ({ ...state, parts: { ...state.parts, [part]: "loaded" } }),
      },
      partFailed: {
        to: ["loading"],
        move: (state, { part }) => ({ ...state, parts: { ...state.parts, [part]: "failed" } }),
      },
      wentStale: { to: ["loading"], move: (state) => ({ ...state, stale: true }) },
      readied: { to: ["ready"], move: ({ stale }) => ({ at: "ready", stale, refreshing: false }) },
      reloadPressed: "ignore",
    },
    ready: {
      began: start,
      partLoaded: "ignore",
      partFailed: "ignore",
      refreshBegan: { to: ["ready"], move: (state) => ({ ...state, refreshing: true }) },
      refreshed: { to: ["ready"], move: () => ({ at: "ready", stale: false, refreshing: false }) },
      wentStale: { to: ["ready"], move: () => ({ at: "ready", stale: true, refreshing: false }) },
      reloadPressed: "ignore",
    },
    keyFailed: {
      began: start,
      wentStale: "ignore",
      countdownTicked: { to: ["keyFailed"], move: (state, { left }) => ({ ...state, left }) },
      reloadPressed: "ignore",
    },
  },
);
