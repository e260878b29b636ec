import { combineReducers, createSlice, type PayloadAction } from "@reduxjs/toolkit";
import { buffers, type Task } from "redux-saga";
import {
  actionChannel,
  call,
  cancel,
  cancelled,
  fork,
  join,
  put,
  race,
  type SagaGenerator,
  select,
  spawn,
  take,
  takeLatest,
} from "typed-redux-saga";
import { callPort, draw, methods, newId, now, PortError, sleep } from "../../ports/world";
import type { Program } from "../live";

/** A small program that uses every feature of sagas, so that any fault of a replay is visible. */

interface Answered {
  readonly n: number;
  readonly how: "value" | "error" | "timeout";
}

const search = createSlice({
  name: "search",
  initialState: { title: "", hits: [] as unknown[], busy: false, searches: 0, abandoned: 0 },
  reducers: {
    typed(state, { payload }: PayloadAction<{ title: string }>) {
      state.title = payload.title;
    },
    began(state) {
      state.busy = true;
      state.searches += 1;
    },
    found(state, { payload }: PayloadAction<{ hits: unknown[] }>) {
      state.busy = false;
      state.hits = payload.hits;
    },
    failed(state, _action: PayloadAction<{ code: string }>) {
      state.busy = false;
    },
    abandoned(state) {
      state.abandoned += 1;
    },
  },
});

const probes = createSlice({
  name: "probes",
  initialState: { answers: {} as Record<string, string>, rounds: 0, cancelled: 0 },
  reducers: {
    asked(state, _action: PayloadAction<{ n: number }>) {
      state.rounds += 1;
    },
    settled(state, { payload }: PayloadAction<Answered>) {
      state.answers[payload.n] = payload.how;
    },
    cancelled(state, _action: PayloadAction<{ n: number }>) {
      state.cancelled += 1;
    },
    finished(_state, _action: PayloadAction<{ order: string[] }>) {},
    stopPressed() {},
  },
});

const order = createSlice({
  name: "order",
  initialState: { at: "idle" as "idle" | "processing" | "paid" | "failed", key: "", due: 0, polls: 0, version: 0 },
  reducers: {
    placed(state, { payload }: PayloadAction<{ key: string }>) {
      Object.assign(state, { at: "processing", key: payload.key, polls: 0, version: 0 });
    },
    pollDue(state, { payload }: PayloadAction<{ due: number }>) {
      state.due = payload.due;
      state.polls += 1;
    },
    statusSeen(state, { payload }: PayloadAction<{ status: "created" | "paid" | "failed"; version: number }>) {
      if (payload.version <= state.version) return;
      state.version = payload.version;
      if (payload.status !== "created") state.at = payload.status;
    },
    gaveUp(state) {
      state.at = "failed";
    },
    payPressed() {},
  },
});

const page = createSlice({
  name: "page",
  initialState: { opened: 0, popup: false, live: false, backoffs: [] as number[], crashes: [] as string[] },
  reducers: {
    screenOpened(state) {
      state.opened += 1;
    },
    screenClosed(state) {
      state.opened -= 1;
    },
    popupShown(state) {
      state.popup = true;
    },
    wentLive(state) {
      state.live = true;
    },
    wentDown(state, { payload }: PayloadAction<{ wait: number; until: number }>) {
      state.live = false;
      state.backoffs = [...state.backoffs.slice(-4), payload.wait];
    },
    socketClosed() {},
    sagaCrashed(state, { payload }: PayloadAction<{ saga: string; message: string }>) {
      state.crashes.push(`${payload.saga}: ${payload.message}`);
    },
    /** A reducer that throws. */
    poisoned() {
      throw new Error("a poisoned reducer");
    },
    /** Makes a saga put an action whose reducer throws. */
    poisonAsked() {},
    /** Kills an unsupervised saga. */
    lonelyKilled() {},
  },
});

export const actions = { search: search.actions, probes: probes.actions, order: order.actions, page: page.actions };

const reducer = combineReducers({
  search: search.reducer,
  probes: probes.reducer,
  order: order.reducer,
  page: page.reducer,
});
export type ProbeState = ReturnType<typeof reducer>;

function* searchSaga(): SagaGenerator<void> {
  yield* takeLatest(search.actions.typed, runSearch);
}

function* runSearch({ payload }: PayloadAction<{ title: string }>): SagaGenerator<void> {
  try {
    yield* sleep("search", 300);
    yield* put(search.actions.began());
    const found = yield* callPort("api.searchVod", { title: payload.title, limit: 10, offset: 0, sort_field: "date" });
    yield* put(search.actions.found({ hits: [...found.data] }));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    yield* put(search.actions.failed({ code: error.code }));
  } finally {
    if (yield* cancelled()) yield* put(search.actions.abandoned());
  }
}

function* probesSaga(): SagaGenerator<void> {
  const queue = yield* actionChannel<ReturnType<typeof probes.actions.asked>>(
    probes.actions.asked.type,
    buffers.sliding(3),
  );
  for (;;) {
    const { payload } = yield* take(queue);
    const tasks: Task[] = [];
    for (let index = 0; index < 3; index++) tasks.push(yield* fork(probe, payload.n * 10 + index));
    const { done, stop } = yield* race({ done: join(tasks), stop: take(probes.actions.stopPressed.type) });
    if (stop) yield* cancel(tasks);
    yield* put(probes.actions.finished({ order: done ? (done as unknown as string[]) : [] }));
  }
}

function* probe(n: number): SagaGenerator<string> {
  try {
    const { answer } = yield* race({ answer: call(answerOf, n), slow: call(sleep, `probe ${n}`, 700) });
    yield* put(probes.actions.settled({ n, how: answer ?? "timeout" }));
    return `${n} ${answer ?? "timeout"}`;
  } finally {
    if (yield* cancelled()) yield* put(probes.actions.cancelled({ n }));
  }
}

function* answerOf(n: number): SagaGenerator<"value" | "error"> {
  try {
    yield* callPort("api.getEvent", { id: n });
    return "value";
  } catch (error) {
    if ((error as PortError).code === "poison") throw new TypeError(`poisoned ${n}`);
    return "error";
  }
}

function* orderSaga(): SagaGenerator<void> {
  for (;;) {
    yield* take(order.actions.payPressed.type);
    yield* put(order.actions.placed({ key: yield* newId("order") }));
    yield* call(follow);
  }
}

function* follow(): SagaGenerator<void> {
  for (let tries = 0; tries < 5; tries++) {
    yield* put(order.actions.pollDue({ due: (yield* now()) + 2000 }));
    const { poll, push } = yield* race({ poll: call(pollOrder), push: take(order.actions.statusSeen.type) });
    if (poll && !push) yield* put(order.actions.statusSeen(poll));
    const { at } = yield* select((state: ProbeState) => state.order);
    if (at !== "processing") return;
  }
  yield* put(order.actions.gaveUp());
}

function* pollOrder(): SagaGenerator<{ status: "created" | "paid" | "failed"; version: number } | null> {
  yield* sleep("poll", 2000);
  try {
    const { status, version } = yield* callPort("api.getOrder", { id: 1 });
    return { status: status as "created", version: version ?? 0 };
  } catch {
    return null;
  }
}

function* connectionSaga(): SagaGenerator<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      yield* callPort("sync.connect", { resume: null });
      attempt = 0;
      yield* put(page.actions.wentLive());
      yield* take(page.actions.socketClosed.type);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
    }
    const wait = Math.floor((yield* draw("backoff")) * Math.min(30_000, 500 * 2 ** attempt));
    yield* put(page.actions.wentDown({ wait, until: (yield* now()) + wait }));
    yield* sleep("backoff", wait);
  }
}

function* poisonSaga(): SagaGenerator<void> {
  for (;;) {
    yield* take(page.actions.poisonAsked.type);
    yield* put(page.actions.poisoned());
  }
}

function* lonelySaga(): SagaGenerator<void> {
  yield* take(page.actions.lonelyKilled.type);
  throw new Error("no one supervises me");
}

function* supervised(name: string, saga: () => SagaGenerator<void>): SagaGenerator<void> {
  for (let crash = 1; ; crash++) {
    try {
      yield* call(saga);
      return;
    } catch (error) {
      yield* put(page.actions.sagaCrashed({ saga: name, message: (error as Error).message }));
      if (crash > 20) return;
      yield* sleep(`restart ${name}`, 250 * crash);
    }
  }
}

const supervisedSagas = {
  connection: connectionSaga,
  search: searchSaga,
  probes: probesSaga,
  order: orderSaga,
  poison: poisonSaga,
};

function* rootSaga(): SagaGenerator<void> {
  for (const [name, saga] of Object.entries(supervisedSagas)) yield* spawn(supervised, name, saga);
  yield* spawn(lonelySaga);
}

export const probeProgram: Program<ProbeState> = {
  reducer: reducer as Program<ProbeState>["reducer"],
  rootSaga,
  methods,
};
