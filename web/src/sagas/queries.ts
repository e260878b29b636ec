import type { Task } from "redux-saga";
import { cancel, cancelled, fork, put, type SagaGenerator, select, takeEvery } from "typed-redux-saga";
import { type Calls, callPort, draw, now, PortError, sleep } from "../ports/world";
import { selectUserId, selectViewer } from "../slices/auth";
import { connectionActions, connectionInputs, connectionSnapshotReceived } from "../slices/connection";
import type { RootState } from "../slices/index";
import { isViewerMethod } from "../slices/intents";
import { LISTS, outboxActions, type VisibleKind } from "../slices/outbox";
import { isFresh, type Query, type QueryAnswer, queryActions, queryKey, type ReadMethod } from "../slices/queries";
import { startupActions } from "../slices/startup";
import { selectVisible, tabActions } from "../slices/tabs";
import { EVENT_LISTS, isMisplaced, REREAD_WINDOW } from "./eventLists";
import { takeEveryFromStream, until } from "./stream";

/** LIM-3: reads that aren't repeated while fresh. All others are revalidated each time. */
const CACHED: ReadonlySet<ReadMethod> = new Set<ReadMethod>([
  "api.getBootstrap",
  "api.getParticipants",
  "api.listEvents",
  "api.listHomeRails",
]);

/** Reads and stores the result. Returns the error, which is also in the state; null on success. */
export function* read(query: Query): SagaGenerator<PortError | null> {
  yield* put(queryActions.began(query));
  const requestedAt = yield* now();
  const user_id = isViewerMethod(query.method) ? yield* select(selectViewer) : null;
  try {
    const answer: unknown = yield* callPort(query.method, query.args as Calls[ReadMethod]["args"]);
    const old = (yield* select((state: RootState) => state.queries[queryKey(query)]?.old)) && { old: true };
    // The method, its arguments and its answer belong together by the port's contract.
    const user = user_id === null ? {} : { user_id };
    yield* put(
      queryActions.loaded({
        ...query,
        answer,
        asked_at: requestedAt,
        at: yield* now(),
        ...old,
        ...user,
      } as QueryAnswer),
    );
    return null;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    yield* put(queryActions.failed({ query, error: error.toJSON() }));
    return error;
  } finally {
    if (yield* cancelled()) yield* put(queryActions.aborted(query));
  }
}

type StatusesReported =
  | ReturnType<typeof connectionInputs.statusReceived>
  | ReturnType<typeof connectionSnapshotReceived>;

const inUse = (state: RootState): Query[] =>
  Object.values(state.queries)
    .filter(({ uses }) => uses > 0)
    .map(({ query }) => query);

/** Performs the reads that components use: once for all of them, aborted when the last one stops. */
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

  // Started by a page, or a run of this process, that is gone.
  for (const query of yield* select(inUse)) yield* start(query);

  yield* takeEvery(queryActions.wanted, function* ({ payload: query }) {
    const { freshness } = yield* select((state: RootState) => state);
    if (CACHED.has(query.method) && isFresh(freshness[queryKey(query)], yield* now()))
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

  // Another tab bought something or logged in: this page's own data is stale too.
  yield* takeEveryFromStream([queryActions.invalidated], restartAll);

  // A missed message may have changed the viewer.
  let viewer = yield* select(selectUserId);
  yield* takeEvery([tabActions.streamReceived, tabActions.snapshotReceived], function* ({ type }) {
    const now = yield* select(selectUserId);
    const isOtherViewer = now !== viewer;
    viewer = now;
    if (isOtherViewer && type === tabActions.snapshotReceived.type) yield* restartAll();
  });

  // An earlier leader may have stored older data than this page had read.
  yield* takeEvery(tabActions.led, function* ({ payload: { slices } }) {
    viewer = yield* select(selectUserId);
    if (slices !== undefined) yield* restartAll();
  });

  // An answer in flight predates the stored change and would revert it.
  function* reread(kind: VisibleKind): SagaGenerator<void> {
    const { queries } = yield* select((state: RootState) => state);
    for (const { query, at } of Object.values(queries))
      if (at === "loading" && LISTS[kind].includes(query.method)) yield* restart(query);
    // The channel selects these events by the favourites that it has stored.
    if (kind !== "clip.create")
      for (const query of yield* select(inUse)) if (query.method === "api.listFavouriteEvents") yield* restart(query);
  }
  yield* takeEveryFromStream([outboxActions.itemAnswered], ({ payload: { kind } }) => reread(kind));

  // Reads that failed without a network, and data that became stale without one.
  yield* takeEvery(connectionInputs.cameOnline, function* () {
    const { queries, freshness } = yield* select((state: RootState) => state);
    const at = yield* now();
    for (const [key, { query, uses, at: isSettled, old }] of Object.entries(queries)) {
      if (uses === 0) continue;
      // The connection of a read without an answer may be dead.
      if (isSettled === "loading") yield* restart(query);
      else if (isSettled === "failed" || old || !isFresh(freshness[key], at)) yield* start(query);
    }
  });

  // The browser may miss the network's return or report it early: a welcome proves it.
  yield* takeEveryFromStream([connectionActions.welcomed], function* () {
    const { queries } = yield* select((state: RootState) => state);
    for (const { query, uses, at, error } of Object.values(queries))
      if (uses > 0 && at === "failed" && error?.retryable) yield* start(query);
  });

  // The channel is back: cached answers are read again.
  yield* takeEvery(startupActions.refreshed, function* () {
    const { queries } = yield* select((state: RootState) => state);
    for (const { query, uses, old } of Object.values(queries)) if (uses > 0 && old) yield* start(query);
  });

  // An event that goes live or ends gets other media: the page's data about it is reread.
  yield* takeEveryFromStream([connectionInputs.statusReceived], function* ({ payload: { kind, id } }) {
    if (kind !== "event") return;
    const query: Query = { method: "api.getEvent", args: { id } };
    const { queries } = yield* select((state: RootState) => state);
    if ((queries[queryKey(query)]?.uses ?? 0) > 0) yield* restart(query);
  });

  // An event that goes live or ends moves from one list to another, which only a read shows.
  let isDue = false;
  yield* takeEveryFromStream<StatusesReported>(
    [connectionInputs.statusReceived, connectionSnapshotReceived],
    function* ({ payload }) {
      const statuses = "statuses" in payload ? payload.statuses : [payload];
      if (isDue || !isMisplaced(yield* select(), yield* select(inUse), statuses)) return;
      isDue = true;
      yield* sleep("queries.moved", Math.floor(REREAD_WINDOW * (yield* draw("queries.moved"))));
      // A hidden page has time.
      yield* until(selectVisible);
      isDue = false;
      for (const query of yield* select(inUse)) if (EVENT_LISTS.has(query.method)) yield* restart(query);
    },
  );

  // The stream may have been silent while the page was hidden.
  yield* takeEvery(connectionInputs.cameBack, function* () {
    const { freshness } = yield* select((state: RootState) => state);
    const at = yield* now();
    for (const query of yield* select(inUse))
      if (EVENT_LISTS.has(query.method) && !isFresh(freshness[queryKey(query)], at)) yield* start(query);
  });
}
