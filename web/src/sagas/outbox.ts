import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { AnalyticsIdentity, AnalyticsItem, OutboxItem, OutboxPayloads } from "../contracts/outbox";
import { fullJitter } from "../lib/backoff";
import { DRAIN_BACKOFF } from "../machines/outbox";
import { draw, now, sleepUntil } from "../ports/ask";
import { selectAnalyticsProfile, selectAnalyticsSession } from "../slices/analytics";
import { authActions, selectUserId } from "../slices/auth";
import { connectionInputs } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import { outboxActions, type SeenItem, type SeenKind, selectOutboxItems, selectOutboxRun } from "../slices/outbox";
import { startupActions } from "../slices/startup";
import { selectHolder, tabActions } from "../slices/tabs";
import { toastActions } from "../slices/toast";
import { attempt } from "./attempt";

/** Stores what the viewer wants done, and shows it as wished for; it is sent when it can be. */
export function* enqueue<K extends SeenKind>(id: string, kind: K, payload: OutboxPayloads[K]): SagaGenerator<void> {
  const user_id = yield* select(selectUserId);
  const item = { id, kind, ...(user_id === null ? {} : { user_id }), at: yield* now(), payload };
  // The kind and its payload were given together.
  yield* put(outboxActions.itemQueued({ ...item } as never));
  yield* store(item as unknown as OutboxItem & SeenItem);
}

/** Stores an analytics event. One that cannot be stored is lost, and the viewer goes on. */
export function* enqueueAnalytics(item: AnalyticsItem): SagaGenerator<void> {
  const stored = yield* attempt("outbox.put", { item });
  if (stored.ok) yield* put(outboxActions.nudged());
}

function* store(item: Extract<OutboxItem, { kind: SeenKind }>): SagaGenerator<void> {
  const stored = yield* attempt("outbox.put", { item });
  if (stored.ok) {
    yield* put(outboxActions.nudged());
    return;
  }
  const { id, kind, payload } = item;
  const { code, message } = stored.error;
  yield* put(outboxActions.itemAnswered({ id, kind, payload, outcome: { outcome: "dead", code, message } } as never));
}

/** Sends what waits. The lock's holder alone does. */
export function* outboxSaga(): SagaGenerator<void> {
  yield* takeEvery(outboxActions.itemAnswered, function* ({ payload: { outcome } }) {
    if (outcome.outcome === "dead") yield* put(toastActions.wanted({ text: outcome.message, type: "error" }));
  });
  while (!(yield* select(mayDrain))) yield* take(CALLS);
  yield* call(storeAgain);
  for (;;) {
    if (!(yield* select(mayDrain))) yield* take(CALLS);
    else if (yield* call(drain)) yield* take(CALLS);
  }
}

const mayDrain = (state: RootState): boolean =>
  selectHolder(state) && selectOnline(state) && state.startup.at === "ready";

/** What may mean that there is something to send, or that it can be sent now. */
const CALLS = [
  outboxActions.nudged.type,
  startupActions.began.type,
  startupActions.readied.type,
  tabActions.identified.type,
  tabActions.holderChanged.type,
  connectionInputs.cameOnline.type,
  // What waited for its own user's key.
  authActions.succeeded.type,
];

/** What the state shows as queued and the page before this one may not have stored. The id makes it harmless. */
function* storeAgain(): SagaGenerator<void> {
  for (const [id, { state, ...item }] of Object.entries(yield* select(selectOutboxItems)))
    if (state.at === "queued") yield* store({ id, ...item } as Extract<OutboxItem, { kind: SeenKind }>);
}

/** One round. True when nothing is left to do until something calls. */
function* drain(): SagaGenerator<boolean> {
  const run = yield* select(selectOutboxRun);
  if (run.at === "waiting") {
    const wake = { online: take(connectionInputs.cameOnline), login: take(authActions.succeeded) };
    yield* race({ time: sleepUntil("outbox.wait", run.until, DRAIN_BACKOFF.cap), ...wake });
    if (!(yield* select(mayDrain))) return true;
  }
  yield* put(outboxActions.drainBegan());
  const report = yield* attempt("outbox.drain", { session: yield* select(identity) });
  if (report.ok && report.value.left === 0) {
    yield* put(outboxActions.drained());
    return (yield* select(selectOutboxRun)).at === "idle";
  }
  const attempts = run.at === "waiting" ? run.attempt : 0;
  const wait = fullJitter(attempts, DRAIN_BACKOFF, yield* draw("outbox.wait"));
  const asked = (report.ok && report.value.retry_after_ms) || 0;
  yield* put(outboxActions.deferred({ until: (yield* now()) + Math.max(wait, asked) }));
  return false;
}

function identity(state: RootState): AnalyticsIdentity | null {
  const profile = selectAnalyticsProfile(state);
  const session = selectAnalyticsSession(state);
  return profile === null || session.at !== "active" ? null : { profile, session: session.session };
}
