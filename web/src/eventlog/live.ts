import {
  type Action,
  applyMiddleware,
  legacy_createStore as createStore,
  type Reducer,
  type Store,
  type UnknownAction,
} from "@reduxjs/toolkit";
import createSagaMiddleware, { type EffectMiddleware, type Saga } from "redux-saga";
import type { MethodTable } from "./calls";
import {
  CHECKPOINT_INTERVAL,
  type CheckpointType,
  FORMAT,
  type HeaderFacts,
  type InputOrigin,
  type State,
  VERSION,
} from "./envelope";
import { type CallWatch, createGate, type Ports } from "./gate";
import { plain } from "./plain";
import { createRecorder, type Defer, type Sink } from "./recorder";
import { createTurns, type Instant } from "./turns";
import { type History, versionOf } from "./versions";

/** The program behind a log: recorder and replayer must run the same one. */
export interface Program<S extends object = State> extends History {
  readonly reducer: Reducer<S, UnknownAction>;
  readonly rootSaga: Saga<[]>;
  readonly methods: MethodTable;
  /** The shape versions of slices other than 1. */
  readonly shapes?: Readonly<Record<string, number>>;
}

export interface RecordedStoreOptions<S extends object> {
  readonly program: Program<S>;
  readonly ports: Ports;
  /** Reads the clocks once per turn. */
  sample(): Instant;
  readonly header: HeaderFacts;
  readonly sink: Sink;
  /** The recovered state to continue from; absent: the reducer's own. */
  readonly snapshot?: S;
  /** Receives errors of turns, sagas and subscribers. The session continues. */
  report(error: unknown): void;
  /** Calls `run` when idle; checkpoints are then taken there too, once enough has happened. */
  idle?(run: () => void): void;
  /** Delays writing lines; absent: immediate. */
  readonly defer?: Defer;
  /** Observes the start and end of each call. */
  readonly watch?: CallWatch;
  /** Maximum number of actions between two checkpoints. */
  readonly checkpointEvery?: number;
  /** Observe the sagas' effects, in tests. */
  readonly effectMiddlewares?: EffectMiddleware[];
}

/** A store whose every change can be replayed. */
export interface RecordedStore<S extends object> {
  /** For React: `dispatch` opens a turn of origin `ui`, and subscribers are notified once per turn. */
  readonly store: Store<S, UnknownAction>;
  /** Dispatches an input of another origin. */
  input(origin: InputOrigin, action: Action): void;
  /** Writes a checkpoint, between turns. */
  checkpoint(): void;
  /** Settles once everything recorded so far is durable; rejects if it couldn't be stored. */
  flush(): Promise<void>;
  /** Writes all recorded lines at once, since the page may close. */
  drain(): void;
  /** The `seq` of the last line, which a persisted snapshot records. */
  position(): number;
  openCalls(): string[];
}

/** When idle, a checkpoint is taken after this share of the maximum. */
const IDLE_SHARE = 1 / 3;

/** Copies an input as the log stores it; reducers and sagas receive the copy. */
function copyOf(action: Action): UnknownAction {
  const { type, payload } = action as { type: unknown; payload?: unknown };
  if (typeof type !== "string") throw new TypeError("an input is an action: an object with a type");
  return { type, payload: plain(payload) };
}

/** Creates the store, starts its log and its sagas. */
export function createRecordedStore<S extends object>(options: RecordedStoreOptions<S>): RecordedStore<S> {
  const { program, sink, snapshot, report } = options;
  const { shapes = {} } = program;
  const checkpointEvery = options.checkpointEvery ?? CHECKPOINT_INTERVAL;
  let quietAwaited = false;

  const turns = createTurns({ sample: options.sample, report, ended });
  const recorder = createRecorder({
    sink,
    now: turns.now,
    versionOf: (type) => versionOf(program, type),
    shapeOf: (slice) => shapes[slice] ?? 1,
    report,
    ...(options.defer ? { defer: options.defer } : {}),
  });
  const { ports, defer, watch } = options;
  const gate = createGate({ turns, recorder, methods: program.methods, ports, defer, watch });
  const saga = createSagaMiddleware({
    context: { world: gate.world },
    // A saga's crash is already reported: it must not reach the console as well, and the turn ends as crashed.
    onError: (error) => turns.crash(error),
    ...(options.effectMiddlewares ? { effectMiddlewares: options.effectMiddlewares } : {}),
  });
  // The sagas dispatch on the inner store; everything else uses the outer one, which opens a turn.
  const inner = createStore(program.reducer, snapshot as never, applyMiddleware(recorder.middleware, saga));
  const listeners = new Set<() => void>();
  let published = inner.getState();

  function input(origin: InputOrigin, action: Action): void {
    let copy: UnknownAction;
    try {
      copy = copyOf(action);
    } catch (error) {
      report(error);
      return;
    }
    turns.run(() => {
      recorder.nextComesFrom(origin);
      inner.dispatch(copy);
    });
  }

  function checkpoint(type: CheckpointType): void {
    recorder.checkpoint(type, inner.getState(), gate.open());
  }

  function ended(crashed: boolean): void {
    notify();
    if (crashed) checkpoint("crashed");
    else if (recorder.unchecked() >= checkpointEvery) checkpoint("counted");
    else if (isCheckpointDue()) awaitQuiet();
    recorder.writeRequested(() => ({ state: inner.getState() as State, counters: gate.counters(), open: gate.open() }));
  }

  const isCheckpointDue = (): boolean => recorder.unchecked() >= checkpointEvery * IDLE_SHARE;

  function awaitQuiet(): void {
    if (quietAwaited || !options.idle) return;
    quietAwaited = true;
    options.idle(() => {
      quietAwaited = false;
      turns.run(() => {
        if (isCheckpointDue()) checkpoint("idle");
      });
    });
  }

  function notify(): void {
    const state = inner.getState();
    if (state === published) return;
    published = state;
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        report(error);
      }
    }
  }

  turns.run(() => {
    const started_at = turns.now().at;
    recorder.begin({ format: FORMAT, v: VERSION, ...options.header, started_at, snapshot: null });
    if (snapshot) recorder.snapshot("started", { state: inner.getState() as State, counters: {}, open: [] });
    saga.run(program.rootSaga);
  });

  return {
    store: {
      ...inner,
      dispatch: ((action: UnknownAction) => {
        input("ui", action);
        return action;
      }) as Store<S, UnknownAction>["dispatch"],
      subscribe(listener) {
        // A function subscribed twice is called twice, and each unsubscribing undoes one subscription.
        const entry = (): void => listener();
        listeners.add(entry);
        return () => listeners.delete(entry);
      },
    },
    input,
    checkpoint: () => turns.run(() => checkpoint("requested")),
    async flush() {
      // A flush requested within a turn waits for the turn's end: stored logs always end at a turn's end.
      await Promise.resolve();
      await recorder.settled();
      await sink.flush();
    },
    drain: recorder.drain,
    position: recorder.seq,
    openCalls: gate.open,
  };
}
