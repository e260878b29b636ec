import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import {
  type AnalyticsIdentity,
  type AnalyticsItem,
  type DrainReport,
  LONGEST_ASKED,
  type OutboxItem,
  type OutboxPayloads,
} from "../contracts/outbox";
import { fullJitter } from "../lib/backoff";
import type { Result } from "../lib/result";
import { DRAIN_BACKOFF, type OutboxRun } from "../machines/outbox";
import { draw, now, type PortError, sleepUntil } from "../ports/ask";
import { analyticsSessionActions, selectAnalyticsProfile, selectAnalyticsSession } from "../slices/analytics";
import { authActions, selectUserId } from "../slices/auth";
import { connectionActions, connectionInputs } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import {
  analyticsOutboxActions,
  isAnswerToAnother,
  outboxActions,
  type SeenItem,
  type SeenKind,
  selectAnalyticsOutboxRun,
  selectOutboxItems,
  selectOutboxRun,
} from "../slices/outbox";
import { queryActions } from "../slices/queries";
import { startupActions } from "../slices/startup";
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
  if (stored.ok) yield* put(analyticsOutboxActions.nudged());
}

function* store(item: Extract<OutboxItem, { kind: SeenKind }>): SagaGenerator<void> {
  const stored = yield* attempt("outbox.put", { item });
  if (stored.ok) {
    yield* put(outboxActions.nudged());
    return;
  }
  const { code, message } = stored.error;
  const outcome = { outcome: "dead", code, message } as const;
  yield* put(outboxActions.itemAnswered({ ...item, at: yield* now(), outcome }));
}

/** Sends what the viewer sees. The leader alone does. */
export function* outboxSaga(): SagaGenerator<void> {
  yield* takeEvery(outboxActions.itemAnswered, function* (told) {
    const { outcome } = told.payload;
    if (outcome.outcome !== "dead") return;
    // Whoever wanted it left, and another is here.
    if (yield* select(isAnswerToAnother, told)) return;
    yield* put(toastActions.wanted({ text: outcome.message, type: "error" }));
  });
  while (!(yield* select(mayDrain))) yield* take(seen.calls);
  yield* call(storeAgain);
  yield* call(run, seen);
}

/** Sends analytics, beside it: what is stuck of the one holds up nothing of the other. The leader alone does. */
export function* analyticsOutboxSaga(): SagaGenerator<void> {
  yield* call(run, analytics);
}

/** An action by its type, or by what it tells. */
type Told = string | ((action: { readonly type: string }) => boolean);

/** A sender of one kind. */
interface Sender {
  readonly facts: Pick<typeof outboxActions, "drainBegan" | "drained" | "deferred">;
  readonly state: (state: RootState) => OutboxRun;
  /** What may mean that there is something to send, or that it can be sent now. */
  readonly calls: Told[];
  /** What ends a wait before its time, where it is one of its own. */
  readonly wakes: Told[];
  /** Its waits, in the log. */
  readonly purpose: string;
  send(): SagaGenerator<Result<DrainReport, PortError>>;
}

const CALLS: Told[] = [
  startupActions.began.type,
  startupActions.readied.type,
  connectionInputs.cameOnline.type,
  // What waited for their key can go.
  authActions.succeeded.type,
];

/** The channel can be reached: its socket was opened, or it answered. What a cache had kept proves nothing. */
const reached = (action: { readonly type: string }): boolean =>
  connectionActions.welcomed.match(action) || (queryActions.loaded.match(action) && !action.payload.old);

const seen: Sender = {
  facts: outboxActions,
  state: selectOutboxRun,
  calls: [outboxActions.nudged.type, ...CALLS],
  // What waited for its own user's key, and what is new.
  wakes: [connectionInputs.cameOnline.type, reached, authActions.succeeded.type, outboxActions.nudged.type],
  purpose: "outbox.wait",
  send: () => attempt("outbox.drain", {}),
};

const analytics: Sender = {
  facts: analyticsOutboxActions,
  state: selectAnalyticsOutboxRun,
  calls: [analyticsOutboxActions.nudged.type, ...CALLS],
  wakes: [connectionInputs.cameOnline.type, reached, analyticsSessionActions.fetched.type],
  purpose: "analyticsOutbox.wait",
  *send() {
    return yield* attempt("outbox.drainAnalytics", { session: yield* select(identity) });
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
 * What is shown as queued and a page that is gone may not have stored: the id makes it harmless. What died goes: the
 * page that heard of it told the viewer.
 */
function* storeAgain(): SagaGenerator<void> {
  for (const [id, { state }] of Object.entries(yield* select(selectOutboxItems))) {
    if (state.at === "dead") yield* put(outboxActions.itemDismissed({ id }));
    else yield* call(storeQueued, id);
  }
}

/** Where it cannot be stored it stays as it is shown: whoever made it tells the viewer. */
export function* storeQueued(id: string): SagaGenerator<void> {
  const { [id]: shown } = yield* select(selectOutboxItems);
  if (shown?.state.at !== "queued") return;
  const { state: _, ...item } = shown;
  const stored = yield* attempt("outbox.put", { item: { id, ...item } as OutboxItem });
  if (stored.ok) yield* put(outboxActions.nudged());
}

/** One round. True when nothing is left to do until something calls. */
function* drain({ facts, state, wakes, purpose, send }: Sender): SagaGenerator<boolean> {
  const before = yield* select(state);
  if (before.at === "waiting") {
    const { until, asked } = before;
    if (asked) yield* sleepUntil(purpose, until, LONGEST_ASKED);
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
  // Who is asked to wait does that, and no longer: how often it failed before says nothing of it.
  const until = (yield* now()) + (retryAfter > 0 ? retryAfter : wait);
  yield* put(facts.deferred({ until, ...(retryAfter > 0 && { asked: true as const }) }));
  return false;
}

function identity(state: RootState): AnalyticsIdentity | null {
  const profile = selectAnalyticsProfile(state);
  const session = selectAnalyticsSession(state);
  return profile === null || session.at !== "active"
    ? null
    : { profile, session: session.session, expires_at: session.expiresAt };
}
