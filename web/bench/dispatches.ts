import { applyMiddleware, legacy_createStore as createStore, type UnknownAction } from "@reduxjs/toolkit";
import createSagaMiddleware from "redux-saga";
import { put, take } from "redux-saga/effects";
import { fork } from "typed-redux-saga";
import type { Line } from "../src/eventlog/envelope";
import { createRecordedStore } from "../src/eventlog/live";
import { parseLog } from "../src/eventlog/parse";
import { onAbsentMove } from "../src/machines/machine";
import { callPort, type Method, methods } from "../src/ports/world";
import { sampleClocks, whenIdle } from "../src/session/ambient";
import { openLog } from "../src/session/log";
import { openLogStorage } from "../src/session/storages";
import { type RootState, rootReducer } from "../src/slices/index";

// Measures the cost of recording per dispatch in a browser: a journey bundles this into a page on a throttled
// processor, and passes the log that it recorded there.

/** Results in milliseconds. */
export interface Added {
  readonly actions: number;
  /**
   * Added time per dispatch at the median, the 99th percentile and the maximum, from each action's median of all
   * rounds.
   */
  readonly median: number;
  readonly p99: number;
  readonly most: number;
  /** The longest time that one slice of writing blocked the page's thread; the minimum of all rounds. */
  readonly longestGo: number;
}

const ROUNDS = 3;
/** Inputs come in bursts; after each the page has an idle frame. */
const BURST = 5;

const SAGA_ACTION = "bench/given";
const CALL = "bench/asked";

type Step =
  | { readonly kind: "action"; readonly action: UnknownAction; readonly isSagas: boolean }
  | { readonly kind: "answer"; readonly method: string; readonly value: unknown };

function stepsOf(lines: readonly Line[]): Step[] {
  return lines.flatMap((line): Step[] => {
    if (line.kind === "action") {
      const { type, payload, origin } = line;
      return [{ kind: "action", action: { type, payload }, isSagas: origin === "saga" }];
    }
    if (line.kind !== "effect" || line.origin !== "api" || !("ok" in line.payload)) return [];
    return [{ kind: "answer", method: line.type, value: line.payload.ok }];
  });
}

/** Performs a step and returns its duration; null for an answer, which has its own turn. */
type StepRunner = (step: Step) => number | null;

function timed(run: () => void): number {
  const began = performance.now();
  run();
  return performance.now() - began;
}

/** A bare store with one saga that dispatches the same actions. */
function bare(): StepRunner {
  const saga = createSagaMiddleware();
  const store = createStore(rootReducer, applyMiddleware(saga));
  let next: UnknownAction = { type: "" };
  saga.run(function* () {
    for (;;) {
      yield take(SAGA_ACTION);
      yield put(next);
    }
  });
  return (step) => {
    if (step.kind === "answer") return null;
    next = step.action;
    return timed(() => store.dispatch(step.isSagas ? { type: SAGA_ACTION } : next));
  };
}

/** The same, recorded like the site: into IndexedDB, in idle time, answers through the gate. */
function recorded(log: string): { readonly take: StepRunner; longestGo(): number; end(): Promise<void> } {
  let longest = 0;
  let next: UnknownAction = { type: "" };
  let answer: { readonly method: string; readonly value: unknown } = { method: "", value: null };
  const sink = openLog({
    storage: openLogStorage(),
    log,
    tab: "bench",
    others: async () => [],
    continued: async () => [],
  });
  const live = createRecordedStore<RootState>({
    program: {
      reducer: rootReducer,
      *rootSaga() {
        for (;;) {
          const { type } = yield take([SAGA_ACTION, CALL]);
          if (type === SAGA_ACTION) yield put(next);
          else yield* fork(() => callPort(answer.method as Method, {} as never));
        }
      },
      methods,
    },
    // Each answer is a new value, like a fetched one.
    ports: { call: () => structuredClone(answer.value), draw: () => 0, newId: () => "" },
    sample: sampleClocks,
    header: { build: "bench", channel: "northfield", locale: "en" },
    sink,
    report(error) {
      throw error;
    },
    defer: (run) =>
      whenIdle((hasTime) => {
        longest = Math.max(
          longest,
          timed(() => run(hasTime)),
        );
      }),
  });
  return {
    take(step) {
      if (step.kind === "answer") {
        answer = step;
        live.store.dispatch({ type: CALL });
        return null;
      }
      next = step.action;
      return timed(() => live.store.dispatch(step.isSagas ? { type: SAGA_ACTION } : next));
    },
    longestGo: () => longest,
    async end() {
      await live.flush();
      await sink.close();
    },
  };
}

const frame = (): Promise<void> => new Promise((resolve) => void requestAnimationFrame(() => setTimeout(resolve, 0)));

async function round(steps: readonly Step[], number: number) {
  const alone = bare();
  const { take, longestGo, end } = recorded(`bench-${number}`);
  const added: number[] = [];
  for (const [index, step] of steps.entries()) {
    // Alternate, since the second one runs warm code.
    const isFirst = (index + number) % 2 === 0;
    const before = isFirst ? alone(step) : null;
    const by = take(step);
    const without = isFirst ? before : alone(step);
    if (by !== null && without !== null) added.push(by - without);
    if (index % BURST === 0) await frame();
  }
  await end();
  return { added, longestGo: longestGo() };
}

const ascending = (one: number, other: number): number => one - other;
const middle = (numbers: readonly number[]): number => numbers.toSorted(ascending)[Math.floor(numbers.length / 2)] ?? 0;

/** Repeats a session's actions and answers several times with recording, and with the store alone. */
export async function measureDispatches(text: string): Promise<Added> {
  onAbsentMove(null);
  const steps = stepsOf(parseLog(text).lines);
  const rounds: Awaited<ReturnType<typeof round>>[] = [];
  for (let number = 0; number < ROUNDS; number++) rounds.push(await round(steps, number));
  // A disturbance of the machine affects one round only.
  const typical = (rounds[0]?.added ?? [])
    .map((_, index) => middle(rounds.map(({ added }) => added[index] ?? 0)))
    .sort(ascending);
  const at = (part: number): number => typical[Math.floor((typical.length - 1) * part)] ?? 0;
  return {
    actions: typical.length,
    median: at(0.5),
    p99: at(0.99),
    most: at(1),
    longestGo: Math.min(...rounds.map(({ longestGo: slice }) => slice)),
  };
}
