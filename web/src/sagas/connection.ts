import { call, fork, put, race, type SagaGenerator, select, take } from "typed-redux-saga";
import type { Welcome } from "../contracts/sync";
import { fullJitter } from "../lib/backoff";
import { MINUTE } from "../lib/time";
import { CONNECT_TIMEOUT, MISSED_PINGS, RECONNECT } from "../machines/connection";
import { draw, now, sleep, sleepUntil } from "../ports/world";
import { authActions, selectStreamUserId } from "../slices/auth";
import {
  connectionActions,
  connectionInputs,
  connectionSnapshotReceived,
  selectConnection,
} from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import { startupActions } from "../slices/startup";
import { attempt } from "./attempt";

/** Limit of the wait that a draining worker may request. */
const MAX_DRAIN = 5 * MINUTE;

/** Actions that may change the stream's user. */
const USER_CHANGES = [
  authActions.succeeded.type,
  authActions.profileLoaded.type,
  authActions.loggedOut.type,
  authActions.reset.type,
];

const selectReady = ({ startup: { at } }: RootState): boolean => at === "ready";

/** SYNC: one socket per browser, while there is a network. */
export function* connectionSaga(): SagaGenerator<void> {
  yield* put(connectionActions.left());
  // `hello` requires an API key.
  while (!(yield* select(selectReady))) yield* take([startupActions.readied, startupActions.began]);
  // The position's user. A position from an earlier page belongs to that page's viewer.
  let streamsFor = yield* select(selectStreamUserId);
  for (let attempts = 0; ; ) {
    if (!(yield* select(selectOnline))) {
      yield* take(connectionInputs.cameOnline);
      attempts = 0;
    }
    const user = yield* select(selectStreamUserId);
    if (user !== streamsFor) {
      yield* put(connectionActions.positionDropped());
      streamsFor = user;
    }
    const connected = yield* connect(attempts);
    if (connected === "offline") continue;
    if (connected === "failed") {
      attempts += 1;
      if (yield* backOff()) attempts = 0;
      continue;
    }
    attempts = 0;
    const end = yield* live(user);
    // Forked, so that no event that wakes the next attempt is missed.
    yield* fork(close);
    if (end === "offline" || end === "user") continue;
    if (end === "lost") yield* disconnect();
    else yield* drain(end.window_ms);
  }
}

function* close(): SagaGenerator<void> {
  yield* attempt("sync.close", {});
}

function* connect(attempts: number): SagaGenerator<"live" | "failed" | "offline"> {
  const give_up_at = (yield* now()) + CONNECT_TIMEOUT;
  yield* put(connectionActions.connectBegan({ attempt: attempts, give_up_at }));
  const { resume } = yield* select(selectConnection);
  const { answer, offline } = yield* race({
    answer: call(() => attempt("sync.connect", { resume })),
    time: sleepUntil("connection.patience", give_up_at, CONNECT_TIMEOUT),
    offline: take(connectionInputs.wentOffline),
  });
  if (offline !== undefined) return "offline";
  if (!answer?.ok) {
    const until = (yield* now()) + fullJitter(attempts, RECONNECT, yield* draw("connection.backoff"));
    const code = answer === undefined ? "timeout" : answer.error.code;
    yield* put(connectionActions.connectFailed({ code, attempt: attempts + 1, until }));
    return "failed";
  }
  yield* welcome(answer.value);
  return "live";
}

/** The welcome's resources are folded before the position moves past it. */
function* welcome({ epoch, user_seq, channel_seq, ping_ms, snapshot }: Welcome): SagaGenerator<void> {
  if (snapshot !== undefined) yield* put(connectionSnapshotReceived({ statuses: [...snapshot] }));
  const position = { epoch, channel_seq, ...(user_seq === undefined ? {} : { user_seq }) };
  yield* put(connectionActions.welcomed({ position, ping_ms, dead_at: (yield* now()) + MISSED_PINGS * ping_ms }));
}

type End = "lost" | "offline" | "user" | { window_ms: number };

function* live(user: number | null): SagaGenerator<End> {
  const end = yield* race({
    closed: take(connectionInputs.closed),
    drain: take(connectionInputs.drainAsked),
    offline: take(connectionInputs.wentOffline),
    silent: call(waitForSilence),
    user: call(waitForOtherUser, user),
  });
  if (end.offline !== undefined) return "offline";
  if (end.drain !== undefined) return { window_ms: end.drain.payload.window_ms };
  return end.user === true ? "user" : "lost";
}

/** Two missed pings mean a dead socket. So does a full wait without one, since the clock may have been set back. */
function* waitForSilence(): SagaGenerator<void> {
  for (let waited: number | null = null; ; ) {
    const state = yield* select(selectConnection);
    if (state.at !== "live") return;
    const remaining = state.deadAt - (yield* now());
    if (remaining <= 0 || state.deadAt === waited) return;
    waited = state.deadAt;
    yield* sleep("connection.silence", Math.min(remaining, MISSED_PINGS * state.pingMs));
  }
}

/** One viewer's stream is of no use to another. */
function* waitForOtherUser(user: number | null): SagaGenerator<true> {
  while ((yield* select(selectStreamUserId)) === user) yield* take(USER_CHANGES);
  return true;
}

function* disconnect(): SagaGenerator<void> {
  const until = (yield* now()) + fullJitter(0, RECONNECT, yield* draw("connection.backoff"));
  yield* put(connectionActions.lost({ attempt: 1, until }));
  yield* backOff();
}

/** Waits before the next attempt. Returns true if an event suggests trying at once. */
function* backOff(): SagaGenerator<boolean> {
  const state = yield* select(selectConnection);
  return state.at === "backoff" && (yield* sleepOrWake("connection.backoff", state.until, RECONNECT.cap));
}

function* drain(window_ms: number): SagaGenerator<void> {
  const window = Math.min(Math.max(0, window_ms), MAX_DRAIN);
  const until = (yield* now()) + Math.floor(window * (yield* draw("connection.drain")));
  yield* put(connectionActions.drainBegan({ until }));
  yield* sleepOrWake("connection.drain", until, MAX_DRAIN);
}

/** Returns true if the network or page returned, or went, before the time. */
function* sleepOrWake(purpose: string, until: number, longest: number): SagaGenerator<boolean> {
  const { woken } = yield* race({
    time: sleepUntil(purpose, until, longest),
    woken: take([connectionInputs.cameOnline, connectionInputs.cameBack, connectionInputs.wentOffline]),
  });
  return woken !== undefined;
}
