import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import {
  type AnalyticsItem,
  type DrainReport,
  MAX_RETRY_AFTER,
  type OutboxItem,
  type OutboxPayloads,
} from "../contracts/outbox";
import { fullJitter } from "../lib/backoff";
import type { Result } from "../lib/result";
import { DRAIN_BACKOFF, type OutboxRun } from "../machines/outbox";
import { draw, now, type PortError, sleepUntil } from "../ports/world";
import { analyticsSessionActions, selectAnalyticsIdentity } from "../slices/analytics";
import { authActions, selectUserId } from "../slices/auth";
import { connectionActions, connectionInputs } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import {
  analyticsOutboxActions,
  isAnswerToAnother,
  outboxActions,
  selectAnalyticsOutboxRun,
  selectOutboxItems,
  selectOutboxRun,
  type VisibleItem,
  type VisibleKind,
} from "../slices/outbox";
import { queryActions } from "../slices/queries";
import { startupActions } from "../slices/startup";
import { toastActions } from "../slices/toast";
import { attempt } from "./attempt";

/** Stores a change by the viewer and displays it as done; it is sent when possible. */
export function* enqueue<K extends VisibleKind>(id: string, kind: K, payload: OutboxPayloads[K]): SagaGenerator<void> {
  const user_id = yield* select(selectUserId);
  const item = { id, kind, ...(user_id === null ? {} : { user_id }), at: yield* now(), payload };
  // The kind and its payload come from the same call.
  yield* put(outboxActions.itemQueued({ ...item } as never));
  yield* store(item as unknown as OutboxItem & VisibleItem);
}

/** Stores an analytics event. An event that can't be stored is lost, and the viewer continues. */
export function* enqueueAnalytics(item: AnalyticsItem): SagaGenerator<void> {
  const stored = yield* attempt("outbox.put", { item });
  if (stored.ok) yield* put(analyticsOutboxActions.nudged());
}

function* store(item: Extract<OutboxItem, { kind: VisibleKind }>): SagaGenerator<void> {
  const stored = yield* attempt("outbox.put", { item });
  if (stored.ok) {
    yield* put(outboxActions.nudged());
    return;
  }
  const { code, message } = stored.error;
  const outcome = { outcome: "dead", code, message } as const;
  yield* put(outboxActions.itemAnswered({ ...item, at: yield* now(), outcome }));
}

/** Sends favourites and clips. Runs in the leader only. */
export function* outboxSaga(): SagaGenerator<void> {
  yield* takeEvery(outboxActions.itemAnswered, function* (answeredAction) {
    const { outcome } = answeredAction.payload;
    if (outcome.outcome !== "dead") return;
    // Its viewer has left, and another is here.
    if (yield* select(isAnswerToAnother, answeredAction)) return;
    yield* put(toastActions.wanted({ text: outcome.message, type: "error" }));
  });
  while (!(yield* select(mayDrain))) yield* take(visible.calls);
  yield* call(restoreQueued);
  yield* call(run, visible);
}

/** Sends analytics separately, so that neither sender blocks the other. Runs in the leader only. */
export function* analyticsOutboxSaga(): SagaGenerator<void> {
  yield* call(run, analytics);
}

/** Selects an action by type or predicate. */
type Trigger = string | ((action: { readonly type: string }) => boolean);

/** The sender of one kind. */
interface Sender {
  readonly facts: Pick<typeof outboxActions, "drainBegan" | "drained" | "deferred">;
  readonly state: (state: RootState) => OutboxRun;
  /** Actions that may mean an item can be sent now. */
  readonly calls: Trigger[];
  /** Actions that end the sender's own wait early. */
  readonly wakes: Trigger[];
  /** The name of its waits in the log. */
  readonly purpose: string;
  send(): SagaGenerator<Result<DrainReport, PortError>>;
}

const CALLS: Trigger[] = [
  startupActions.began.type,
  startupActions.readied.type,
  connectionInputs.cameOnline.type,
  // Items that waited for their user's key can go.
  authActions.succeeded.type,
];

/** The channel is reachable: its socket opened or it answered. A cached answer proves nothing. */
const isReached = (action: { readonly type: string }): boolean =>
  connectionActions.welcomed.match(action) || (queryActions.loaded.match(action) && !action.payload.old);

const visible: Sender = {
  facts: outboxActions,
  state: selectOutboxRun,
  calls: [outboxActions.nudged.type, ...CALLS],
  // Items that waited for their user's key, and new ones.
  wakes: [connectionInputs.cameOnline.type, isReached, authActions.succeeded.type, outboxActions.nudged.type],
  purpose: "outbox.wait",
  send: () => attempt("outbox.drain", {}),
};

const analytics: Sender = {
  facts: analyticsOutboxActions,
  state: selectAnalyticsOutboxRun,
  calls: [analyticsOutboxActions.nudged.type, ...CALLS],
  wakes: [connectionInputs.cameOnline.type, isReached, analyticsSessionActions.fetched.type],
  purpose: "analyticsOutbox.wait",
  *send() {
    return yield* attempt("outbox.drainAnalytics", { session: yield* select(selectAnalyticsIdentity) });
  },
};

const mayDrain = (state: RootState): boolean => selectOnline(state) && state.startup.at === "ready";

function* run(sender: Sender): SagaGenerator<void> {
  for (;;) {
    if (!(yield* select(mayDrain))) yield* take(sender.calls);
    else if (yield* call(drain, sender)) yield* take(sender.calls);
  }
}

/**
 * Stores queued items again, since a closed page may not have stored them; the id prevents duplicates. Failed items are
 * dropped: the page that received the failure has notified the viewer.
 */
function* restoreQueued(): SagaGenerator<void> {
  for (const [id, { state }] of Object.entries(yield* select(selectOutboxItems))) {
    if (state.at === "dead") yield* put(outboxActions.itemDismissed({ id }));
    else yield* call(storeQueued, id);
  }
}

/** An item that can't be stored stays displayed: its own page notifies the viewer. */
export function* storeQueued(id: string): SagaGenerator<void> {
  const { [id]: shown } = yield* select(selectOutboxItems);
  if (shown?.state.at !== "queued") return;
  const { state: _, ...item } = shown;
  const stored = yield* attempt("outbox.put", { item: { id, ...item } as OutboxItem });
  if (stored.ok) yield* put(outboxActions.nudged());
}

/** One round. Returns true once nothing is left to do until the next call. */
function* drain({ facts, state, wakes, purpose, send }: Sender): SagaGenerator<boolean> {
  const before = yield* select(state);
  if (before.at === "waiting") {
    const { until, asked } = before;
    if (asked) yield* sleepUntil(purpose, until, MAX_RETRY_AFTER);
    else yield* race({ time: sleepUntil(purpose, until, DRAIN_BACKOFF.cap), wake: take(wakes) });
    if (!(yield* select(mayDrain))) return true;
  }
  yield* put(facts.drainBegan());
  const report = yield* send();
  if (report.ok && report.value.left === 0) {
    yield* put(facts.drained());
    return (yield* select(state)).at === "idle";
  }
  const attempts = before.at === "idle" ? 0 : before.attempt;
  const wait = fullJitter(attempts, DRAIN_BACKOFF, yield* draw(purpose));
  const retryAfter = (report.ok && report.value.retry_after_ms) || 0;
  // A wait requested by the server replaces the backoff.
  const until = (yield* now()) + (retryAfter > 0 ? retryAfter : wait);
  yield* put(facts.deferred({ until, ...(retryAfter > 0 && { asked: true as const }) }));
  return false;
}
