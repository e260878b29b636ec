import type { Task } from "redux-saga";
import { cancel, cancelled, fork, put, type SagaGenerator, select, takeEvery } from "typed-redux-saga";
import { ask, type Calls, draw, now, PortError, sleep } from "../ports/ask";
import { selectUserId, selectViewer } from "../slices/auth";
import { connectionActions, connectionInputs, connectionSnapshotReceived } from "../slices/connection";
import type { RootState } from "../slices/index";
import { isViewersOwn } from "../slices/intents";
import { LISTS, outboxActions, type SeenKind } from "../slices/outbox";
import { isFresh, type Query, type QueryAnswer, queryActions, queryKey, type ReadMethod } from "../slices/queries";
import { startupActions } from "../slices/startup";
import { selectVisible, tabActions } from "../slices/tabs";
import { EVENT_LISTS, isMisplaced, READ_AGAIN_WITHIN } from "./eventLists";
import { everyTold, until } from "./stream";

/** LIM-3: what is not asked for again while it is fresh. Everything else is revalidated each time. */
const KEPT: ReadonlySet<ReadMethod> = new Set<ReadMethod>([
  "api.getBootstrap",
  "api.getParticipants",
  "api.listEvents",
  "api.listHomeRails",
]);

/** Reads, and tells. True when it was answered; a failure stands in the state. */
export function* read(query: Query): SagaGenerator<PortError | null> {
  yield* put(queryActions.began(query));
  const asked_at = yield* now();
  const user_id = isViewersOwn(query.method) ? yield* select(selectViewer) : null;
  try {
    const answer: unknown = yield* ask(query.method, query.args as Calls[ReadMethod]["args"]);
    const old = (yield* select((state: RootState) => state.queries[queryKey(query)]?.old)) && { old: true };
    // The method, its arguments and its answer belong together by the port's contract.
    const of = user_id === null ? {} : { user_id };
    yield* put(queryActions.loaded({ ...query, answer, asked_at, at: yield* now(), ...old, ...of } as QueryAnswer));
    return null;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    yield* put(queryActions.failed({ query, error: error.toJSON() }));
    return error;
  } finally {
    if (yield* cancelled()) yield* put(queryActions.aborted(query));
  }
}

type StatusesTold = ReturnType<typeof connectionInputs.statusReceived> | ReturnType<typeof connectionSnapshotReceived>;

const inUse = (state: RootState): Query[] =>
  Object.values(state.queries)
    .filter(({ uses }) => uses > 0)
    .map(({ query }) => query);

/** Reads what places of the page want: once for all of them, aborted when the last of them goes. */
export function* queriesSaga(): SagaGenerator<void> {
  const reading = new Map<string, Task>();

  function* start(query: Query): SagaGenerator<void> {
    const key = queryKey(query);
    const task = reading.get(key);
    if (task?.isRunning()) return;
    reading.set(key, yield* fork(read, query));
  }

  function* restart(query: Query): SagaGenerator<void> {
    const task = reading.get(queryKey(query));
    if (task?.isRunning()) yield* cancel(task);
    yield* start(query);
  }

  // Begun by a page, or a run of this process, that is gone.
  for (const query of yield* select(inUse)) yield* start(query);

  yield* takeEvery(queryActions.wanted, function* ({ payload: query }) {
    const { freshness } = yield* select((state: RootState) => state);
    if (KEPT.has(query.method) && isFresh(freshness[queryKey(query)], yield* now()))
      yield* put(queryActions.satisfied(query));
    else yield* start(query);
  });

  yield* takeEvery(queryActions.left, function* ({ payload: query }) {
    const key = queryKey(query);
    const { queries } = yield* select((state: RootState) => state);
    if ((queries[key]?.uses ?? 0) > 0) return;
    const task = reading.get(key);
    reading.delete(key);
    if (task?.isRunning()) yield* cancel(task);
  });

  yield* takeEvery(queryActions.retryPressed, function* ({ payload: query }) {
    yield* start(query);
  });

  function* restartAll(): SagaGenerator<void> {
    for (const query of yield* select(inUse)) yield* restart(query);
  }

  // Another tab bought something, or logged in: this page's own data is old as well.
  yield* everyTold([queryActions.invalidated], restartAll);

  // What this page did not hear of may have told of another viewer.
  let viewer = yield* select(selectUserId);
  yield* takeEvery([tabActions.streamReceived, tabActions.snapshotReceived], function* ({ type }) {
    const now = yield* select(selectUserId);
    const isOther = now !== viewer;
    viewer = now;
    if (isOther && type === tabActions.snapshotReceived.type) yield* restartAll();
  });

  // What an earlier leader stored may be older than what this page had read.
  yield* takeEvery(tabActions.led, function* ({ payload: { slices } }) {
    viewer = yield* select(selectUserId);
    if (slices !== undefined) yield* restartAll();
  });

  // An answer that is under way does not know of what was stored meanwhile: it would take it back.
  function* reread(kind: SeenKind): SagaGenerator<void> {
    const { queries } = yield* select((state: RootState) => state);
    for (const { query, at } of Object.values(queries))
      if (at === "loading" && LISTS[kind].includes(query.method)) yield* restart(query);
  }
  yield* everyTold([outboxActions.itemAnswered], ({ payload: { kind } }) => reread(kind));

  // What failed for want of a network, and what grew old without one.
  yield* takeEvery(connectionInputs.cameOnline, function* () {
    const { queries, freshness } = yield* select((state: RootState) => state);
    const at = yield* now();
    for (const [key, { query, uses, at: stands, old }] of Object.entries(queries))
      if (uses > 0 && (stands === "failed" || old || !isFresh(freshness[key], at))) yield* start(query);
  });

  // The browser may say nothing of a network that comes back, or say it too early: a welcome proves that it is there.
  yield* everyTold([connectionActions.welcomed], function* () {
    const { queries } = yield* select((state: RootState) => state);
    for (const { query, uses, at, error } of Object.values(queries))
      if (uses > 0 && at === "failed" && error?.retryable) yield* start(query);
  });

  // The channel is there again: what a cache stood in for is asked for once more.
  yield* takeEvery(startupActions.refreshed, function* () {
    const { queries } = yield* select((state: RootState) => state);
    for (const { query, uses, old } of Object.values(queries)) if (uses > 0 && old) yield* start(query);
  });

  // An event that goes on air or ends has other media: what a page shows of it is read again.
  yield* everyTold([connectionInputs.statusReceived], function* ({ payload: { kind, id } }) {
    if (kind !== "event") return;
    const query: Query = { method: "api.getEvent", args: { id } };
    const { queries } = yield* select((state: RootState) => state);
    if ((queries[queryKey(query)]?.uses ?? 0) > 0) yield* restart(query);
  });

  // An event that goes on air or ends leaves one list, and has a place in another that only a read tells.
  let due = false;
  yield* everyTold<StatusesTold>(
    [connectionInputs.statusReceived, connectionSnapshotReceived],
    function* ({ payload }) {
      const statuses = "statuses" in payload ? payload.statuses : [payload];
      if (due || !isMisplaced(yield* select(), yield* select(inUse), statuses)) return;
      due = true;
      yield* sleep("queries.moved", Math.floor(READ_AGAIN_WITHIN * (yield* draw("queries.moved"))));
      // A page that nobody looks at has time.
      yield* until(selectVisible);
      due = false;
      for (const query of yield* select(inUse)) if (EVENT_LISTS.has(query.method)) yield* restart(query);
    },
  );

  // The stream may have been silent while nobody looked.
  yield* takeEvery(connectionInputs.cameBack, function* () {
    const { freshness } = yield* select((state: RootState) => state);
    const at = yield* now();
    for (const query of yield* select(inUse))
      if (EVENT_LISTS.has(query.method) && !isFresh(freshness[queryKey(query)], at)) yield* start(query);
  });
}
