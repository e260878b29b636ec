import { instrument } from "@redux-devtools/instrument";
import { applyMiddleware, legacy_createStore as createStore, type Store, type UnknownAction } from "@reduxjs/toolkit";
import { JSDOM } from "jsdom";
import createSagaMiddleware from "redux-saga";
import { put, take } from "redux-saga/effects";
import { createRecordedStore } from "../src/eventlog/live";
import { createSegmentedSink } from "../src/eventlog/segments";
import type { LogStorage } from "../src/eventlog/stored-log";
import { methods } from "../src/ports/world";
import { type RootState, rootReducer } from "../src/slices/index";

/** A recorder, together with its store. */
export interface Recorder {
  readonly name: string;
  /** Whether a saga dispatched the action, so that it isn't an input. */
  dispatch(action: UnknownAction, isSagas: boolean): void;
  /** Completes deferred work. */
  finish(): void;
  /** Size of the recording in bytes; called once, at the end. */
  bytes(): Promise<number>;
}

/** Renders a state like a page of the site: a few texts change with each action. */
function show(document: Document, store: Store<RootState>): void {
  const places = ["startup", "auth", "connection", "purchase", "player"] as const;
  const nodes = places.map((place) => {
    const node = document.createElement("p");
    node.id = place;
    document.body.append(node);
    return node;
  });
  const count = document.createElement("output");
  document.body.append(count);
  let actions = 0;
  store.subscribe(() => {
    const state = store.getState();
    for (const [index, place] of places.entries()) {
      const node = nodes[index] as HTMLElement;
      if (node.textContent !== state[place].at) node.textContent = state[place].at;
    }
    actions += 1;
    count.textContent = String(actions);
  });
}

/** A storage that takes no time, since IndexedDB works outside the page's thread. */
function instantStorage(): LogStorage {
  const items = new Map<string, unknown>();
  return {
    getItem: async (key) => items.get(key) ?? null,
    setItem: async (key, value) => items.set(key, value),
    removeItem: async (key) => void items.delete(key),
    keys: async () => [...items.keys()],
    entries: async (prefix) => [...items].filter(([key]) => key.startsWith(prefix)),
    async update(_keys, change) {
      for (const [key, value] of change()) items.set(key, value);
    },
  };
}

/** The turn in which a saga puts an action of its own. */
const SAGA_ACTION = { type: "bench/given" };

/** Without recording there is nothing left to do. */
const NOTHING = { finish: () => undefined, bytes: async () => 0 } as const;

/** The store alone. */
export function bare(): Recorder {
  const store = createStore(rootReducer);
  return { name: "the store alone", dispatch: (action) => void store.dispatch(action), ...NOTHING };
}

/** A bare store with one saga that dispatches the actions Touchline records, without recording them. */
export function bareWithSaga(): Recorder {
  const saga = createSagaMiddleware();
  const store = createStore(rootReducer, applyMiddleware(saga));
  let next: UnknownAction = { type: "" };
  saga.run(function* () {
    for (;;) {
      yield take(SAGA_ACTION.type);
      yield put(next);
    }
  });
  return {
    name: "the store with its saga",
    dispatch(action, isSagas) {
      next = action;
      store.dispatch(isSagas ? SAGA_ACTION : action);
    },
    ...NOTHING,
  };
}

/** Idle callbacks run once per frame at most, in milliseconds. */
const FRAME_MS = 16;
/** Share of a frame for deferred work, as in the site (`session/ambient.ts`), in milliseconds. */
const GO_MS = 4;

/** Calls `run` like a browser's `requestIdleCallback`. */
const whenIdle = (run: (goesOn: () => boolean) => void): void =>
  void setTimeout(() => {
    const end = performance.now() + GO_MS;
    run(() => performance.now() < end);
  }, FRAME_MS);

/** Touchline's event log, with its segments in memory. */
export function touchline(): Recorder {
  const sink = createSegmentedSink({
    storage: instantStorage(),
    log: "bench",
    tab: "bench",
    defer: (run) => void setImmediate(run),
    after: (ms, run) => void setTimeout(run, ms),
    makeRoom: async () => false,
  });
  let mono = 0;
  let written = 0;
  let next: UnknownAction = { type: "" };
  const live = createRecordedStore<RootState>({
    // The sagas would dispatch actions of their own: here each action is given, and one saga puts theirs.
    program: {
      reducer: rootReducer,
      *rootSaga() {
        for (;;) {
          yield take(SAGA_ACTION.type);
          yield put(next);
        }
      },
      methods,
    },
    ports: { call: () => null, draw: () => 0, newId: () => "" },
    sample: () => ({ at: 1_795_284_000_000 + mono, mono: ++mono }),
    header: { build: "bench", channel: "northfield", locale: "en" },
    sink: {
      ...sink,
      write(line) {
        written += line.text.length + 1 + line.blobs.reduce((sum, { text }) => sum + text.length, 0);
        sink.write(line);
      },
    },
    report(error) {
      throw error;
    },
    defer: whenIdle,
  });
  return {
    name: "Touchline's event log",
    dispatch(action, isSagas) {
      next = action;
      live.store.dispatch(isSagas ? SAGA_ACTION : action);
    },
    finish: live.drain,
    async bytes() {
      await live.flush();
      await sink.close();
      return written;
    },
  };
}

/** Redux DevTools' instrument, retaining every action and state as its extension does. */
export function devtools(): Recorder {
  // Its types come from another Redux.
  const enhancer = instrument(undefined, { maxAge: 1_000_000 }) as never;
  const store = createStore(rootReducer, enhancer) as unknown as Store<RootState> & {
    liftedStore: Store<{ actionsById: object }>;
  };
  return {
    name: "Redux DevTools' instrument",
    dispatch: (action) => void store.dispatch(action),
    finish: () => undefined,
    bytes: async () => JSON.stringify(store.liftedStore.getState().actionsById).length,
  };
}

/** Page globals left by an earlier round, or by Node itself. */
const BROWSERS = new Set(["window", "document", "Node", "Element", "HTMLElement", "MutationObserver", "CSSStyleSheet"]);

/** rrweb on a small page that renders the state. */
export async function rrweb(): Promise<Recorder> {
  const { window } = new JSDOM("<!doctype html><html><body></body></html>", {
    pretendToBeVisual: true,
    url: "https://bench.example/",
  });
  // rrweb accesses the browser's globals.
  for (const name of Object.getOwnPropertyNames(window))
    if (!(name in globalThis) || BROWSERS.has(name))
      Object.defineProperty(globalThis, name, { value: window[name as never], configurable: true, writable: true });
  const { record } = await import("rrweb");
  let written = 0;
  const store = createStore(rootReducer);
  show(window.document, store as unknown as Store<RootState>);
  const stop = record({
    emit: (event) => {
      written += JSON.stringify(event).length + 1;
    },
  });
  if (!stop) throw new Error("rrweb did not start to record");
  return {
    name: "rrweb, on a page of six texts",
    dispatch: (action) => void store.dispatch(action),
    finish: () => undefined,
    async bytes() {
      await new Promise((resolve) => setTimeout(resolve, 50));
      stop();
      return written;
    },
  };
}

/** The same page without rrweb: rendering isn't recording. */
export function rendered(): Recorder {
  const { window } = new JSDOM("<!doctype html><html><body></body></html>");
  const store = createStore(rootReducer);
  show(window.document, store as unknown as Store<RootState>);
  return { name: "the page of six texts", dispatch: (action) => void store.dispatch(action), ...NOTHING };
}
