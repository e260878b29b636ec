import type { UnknownAction } from "@reduxjs/toolkit";
import { expect } from "vitest";
import type { Profile } from "../../contracts/resources";
import type { InputOrigin } from "../../eventlog/envelope";
import { createRecordedStore, type RecordedStore } from "../../eventlog/live";
import { replayText } from "../../eventlog/replay";
import { report } from "../../eventlog/report";
import { createStrictEffects } from "../../eventlog/strict";
import { createTextSink } from "../../eventlog/testing/session";
import { createVirtualTime, type VirtualTime } from "../../eventlog/testing/virtual-time";
import { AbsentMoveError, onAbsentMove } from "../../machines/machine";
import { type Calls, type Method, methods, PortError } from "../../ports/world";
import { type RootState, rootReducer } from "../../slices/index";
import { startupActions } from "../../slices/startup";
import { tabActions, tabs } from "../../slices/tabs";
import { rootSaga } from "../root";
import { aBootstrap, aProfile } from "./resources";

/** The wall clock's start in every test, in Unix milliseconds. */
export const BEGAN = 1_790_000_000_000;

type Answer<M extends Method> = Calls[M]["answer"];
/** A scripted port's reaction to a call: an answer, a promise or an error. */
export type Answering<M extends Method> = (
  args: Calls[M]["args"],
  signal: AbortSignal,
) => Answer<M> | Promise<Answer<M>>;
export type Script = { [M in Method]?: Answering<M> };

/** Never answers. */
export const silence = (): Promise<never> => new Promise(() => undefined);
/** Fails as without a network. */
export const away = (): never => {
  throw new PortError({ code: "network", message: "The network is away", retryable: true });
};
/** Answers from a cache: the page is notified before the answer. */
export const cachedFrom =
  <T>(world: () => TestWorld, value: T) =>
  (): Promise<T> =>
    Promise.resolve().then(() => {
      world().input("api", startupActions.wentStale());
      return value;
    });
/** Fails with a refusal by the worker. */
export const refusing =
  (status: number, message: string, code = `http_${status}`) =>
  (): never => {
    throw new PortError({ code, message, status, retryable: status >= 500 || status === 429 });
  };

/** Key statuses that logins and logouts in the world replace. */
const keyStatuses = new WeakSet<object>();
function holding(user_id: number | null): Answering<"account.status"> {
  const status = () => ({ channel_key: true, api_key: true, user_id });
  keyStatuses.add(status);
  return status;
}

/** A worker with a channel and no viewer, whose socket is unreachable. */
const anonymous: Script = {
  "account.status": holding(null),
  "api.getChannelKey": () => null,
  "api.getApiKey": () => null,
  "api.getBootstrap": () => aBootstrap(),
  "api.getParticipants": () => [],
  "api.getAnalyticsSession": () => "session-1",
  "api.logout": () => null,
  "outbox.put": () => null,
  "outbox.drain": () => ({ left: 0, retry_after_ms: null }),
  "outbox.drainAnalytics": () => ({ left: 0, retry_after_ms: null }),
  "outbox.forget": () => null,
  "storage.flush": () => null,
  "sync.connect": away,
  "sync.close": () => null,
  "sync.watch": () => null,
  "sync.unwatch": () => null,
  "ui.openTagManager": () => null,
  "ui.tag": () => null,
  "ui.reload": () => null,
  "ui.openUrl": () => null,
  "ui.download": () => null,
};

/** Calls that change the browser's key, and its user afterwards. */
const KEY_CHANGES: { readonly [method: string]: (answer: unknown) => number | null } = {
  "api.login": (profile) => (profile as Profile).id,
  "api.register": (profile) => (profile as Profile).id,
  "api.socialLogin": (profile) => (profile as Profile).id,
  "api.logout": () => null,
};

/** The same with a viewer logged in. */
export const viewer = (profile = aProfile()): Script => ({
  "account.status": holding(profile.id),
  "api.getProfile": () => profile,
});

interface Action {
  readonly type: string;
  readonly payload?: unknown;
}

/** The product's sagas and reducer on scripted ports and virtual time. */
export interface TestWorld {
  readonly script: Script;
  /** The current load's store. */
  store(): RecordedStore<RootState>["store"];
  state(): RootState;
  /** An action of the viewer. */
  ui(action: Action): void;
  /** An input of another origin. */
  input(origin: InputOrigin, action: Action): void;
  /** Advances time by `ms` milliseconds, with all due timers. */
  pass(ms?: number): Promise<void>;
  /** Fails every open call, as the port's own timeout does. */
  timeOut(): Promise<void>;
  /** The arguments of each call of a method, over all loads of the page. */
  calls<M extends Method>(method: M): Calls[M]["args"][];
  /** The types of all actions with `prefix`, over all loads. */
  actions(prefix?: string): Action[];
  now(): number;
  /** Sets the wall clock forward or back by `ms` milliseconds: timers aren't affected. */
  setClock(ms: number): void;
  /** Reloads the page from its state, or one derived from it, after `goneMs` without a page; open calls are lost. */
  reload(from?: (state: RootState) => RootState, goneMs?: number): Promise<void>;
  /** Asserts that no fact arrived where a table doesn't expect it. */
  expectExpected(): void;
  /** Asserts that nothing crashed, and that every load's log replays to the same actions and state. */
  expectReplays(): void;
}

/** The start of a page that isn't its browser's first. */
export interface Beginning {
  readonly tab?: { readonly id: string; readonly leads: boolean; readonly generation?: number; readonly seq?: number };
  /** The recovered state. */
  readonly snapshot?: Partial<RootState>;
  /** Age of the browser, in milliseconds. */
  readonly elapsed?: number;
  /** The shared clock. */
  readonly time?: VirtualTime;
  /** The root reducer, or one that folds the same way. */
  readonly reducer?: (state: RootState | undefined, action: UnknownAction) => RootState;
}

/** Opens the page. Absent moves and crashes fail the test. Another browser, with another `ids`, draws other ids. */
export async function openWorld(
  script: Script = {},
  draw: () => number = () => 0.5,
  ids = 0,
  {
    tab = { id: "a", leads: true },
    snapshot: recovered,
    elapsed = 0,
    time = createVirtualTime(),
    reducer = rootReducer,
  }: Beginning = {},
): Promise<TestWorld> {
  await time.pass(elapsed);
  const scripted: Script = { ...anonymous, ...script };
  const calls: { method: Method; args: object }[] = [];
  const types: Action[] = [];
  const logs: (() => string)[] = [];
  const faults: unknown[] = [];
  const waiting = new Set<(error: PortError) => void>();
  let drawn = ids;
  let shift = 0;
  const wall = () => BEGAN + time.now() + shift;
  let load = 0;
  let live: RecordedStore<RootState>;

  function listening(state: RootState | undefined, action: UnknownAction): RootState {
    if (!action.type.startsWith("@@")) types.push({ type: action.type, payload: action.payload ?? null });
    return reducer(state, action);
  }

  onAbsentMove((error) => {
    throw error;
  });

  function open(snapshot?: RootState): void {
    load += 1;
    const mine = load;
    const sink = createTextSink();
    live = createRecordedStore<RootState>({
      program: { reducer: listening, rootSaga, methods: methods as never },
      header: { build: "test", channel: "northfield", locale: "en" },
      effectMiddlewares: [createStrictEffects()],
      report: (error) => void faults.push(error),
      sample: () => ({ at: wall(), mono: time.now() }),
      ...(snapshot ? { snapshot } : {}),
      sink,
      ports: {
        draw,
        newId: () => `01890000-0000-7000-8000-${String(++drawn).padStart(12, "0")}`,
        call(method, args, signal) {
          if (method === "clock.sleep")
            return new Promise((resolve) => {
              const due = time.now() + (args as { ms: number }).ms;
              const undo = time.at(due, () => mine === load && resolve(null));
              signal.addEventListener("abort", undo);
            });
          calls.push({ method: method as Method, args });
          const answering = scripted[method as Method] as ((args: object, signal: unknown) => unknown) | undefined;
          if (answering === undefined)
            throw new PortError({ code: "unscripted", message: `${method} is not scripted` });
          const answer = answering(args, signal);
          return new Promise((resolve, reject) => {
            waiting.add(reject);
            Promise.resolve(answer)
              .then((value) => {
                const status = scripted["account.status"];
                const holds = KEY_CHANGES[method];
                if (holds && status && keyStatuses.has(status)) scripted["account.status"] = holding(holds(value));
                if (mine === load) resolve(value);
              }, reject)
              .finally(() => waiting.delete(reject));
          });
        },
      },
    });
    const opened = live;
    logs.push(() => {
      opened.checkpoint();
      return sink.text();
    });
  }

  const world: TestWorld = {
    script: scripted,
    store: () => live.store,
    state: () => live.store.getState(),
    ui: (action) => void live.store.dispatch({ ...action }),
    input: (origin, action) => live.input(origin, action),
    pass: (ms = 0) => time.pass(time.now() + ms),
    async timeOut() {
      for (const fail of waiting) fail(new PortError({ code: "timeout", message: "No answer came", retryable: true }));
      waiting.clear();
      await time.pass(time.now());
    },
    calls: (method) => calls.filter((call) => call.method === method).map(({ args }) => args) as never,
    actions: (prefix = "") => types.filter(({ type }) => type.startsWith(prefix)),
    now: wall,
    setClock: (ms) => void (shift += ms),
    async reload(from = (state) => state, goneMs = 0) {
      const savedState = from(JSON.parse(JSON.stringify(live.store.getState())) as RootState);
      // Timers and answers of the previous page have no effect any more.
      load += 1;
      await time.pass(time.now() + goneMs);
      open({ ...savedState, tabs: tabs.getInitialState() });
      const { id, leads, generation, seq } = savedState.tabs;
      world.input("storage", tabActions.identified({ id: `${id}'`, leads, generation, seq }));
      await time.pass(time.now());
    },
    expectExpected() {
      expect(faults.filter((fault) => fault instanceof AbsentMoveError)).toEqual([]);
      const crashes = world.actions("supervisor/sagaCrashed").map(({ payload }) => JSON.stringify(payload));
      expect(crashes.filter((crash) => crash.includes(": no move from "))).toEqual([]);
    },
    expectReplays() {
      expect(faults).toEqual([]);
      for (const log of logs) {
        const outcome = replayText({ reducer: rootReducer, rootSaga, methods: methods as never }, log());
        if (outcome.status !== 0) throw new Error(report("the log of the page", outcome, "test"));
      }
      expect(world.actions("supervisor/")).toEqual([]);
    },
  };
  open(recovered as RootState | undefined);
  world.input("storage", tabActions.identified({ ...tab }));
  await time.pass(elapsed);
  return world;
}

/** Opens the page of a logged-in viewer. */
export const openViewerWorld = (script: Script = {}, draw?: () => number, ids?: number): Promise<TestWorld> =>
  openWorld({ ...viewer(), ...script }, draw, ids);
