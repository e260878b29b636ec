import { call, type SagaGenerator, select, spawn, take } from "typed-redux-saga";
import { type AnalyticsItem, type AnalyticsPath, COUNT_PATH, SESSION_LIFETIME } from "../contracts/outbox";
import type { Json } from "../lib/json";
import { isValid } from "../lib/time";
import { TRACKING_LIFETIME_MS } from "../navigation";
import { newId, now } from "../ports/world";
import {
  analyticsActions,
  selectAnalyticsProfile,
  selectAnalyticsSession,
  selectContainer,
  selectCounting,
  selectRecording,
  selectRulesLoaded,
} from "../slices/analytics";
import { selectUserId } from "../slices/auth";
import type { RootState } from "../slices/index";
import { selectTrk } from "../slices/preferences";
import { queryActions } from "../slices/queries";
import { tabActions } from "../slices/tabs";
import { attempt } from "./attempt";
import { enqueueAnalytics } from "./outbox";
import { siteFacts } from "./siteFacts";

/**
 * Records one analytics event where allowed (ANA-6, ANA-7), with its site facts (ANA-8). It belongs to the current
 * session (ANA-11); without one, the sender adds the next. Two events are the same only by an explicit `id`.
 */
export function* record(path: AnalyticsPath, body: { [field: string]: Json }, id?: string): SagaGenerator<void> {
  const at = yield* now();
  const user_id = yield* select(selectUserId);
  const trk = yield* select(selectTrk);
  const tracking = trk !== null && isValid(trk.expires_at, at, TRACKING_LIFETIME_MS) ? { trk: trk.value } : {};
  const person = user_id === null ? {} : { user_id };
  yield* afterRules(store, { at, ...person, payload: { path, body: { ...body, user_id, ...tracking } } }, id);
}

/** Records an event with `extras` where allowed, and otherwise counts it without the viewer (ANA-14, ANA-15). */
export function* recordOrCount(event: string, extras: { [field: string]: Json } = {}): SagaGenerator<void> {
  if (yield* select(selectRecording)) yield* record("/datalake/event/", { event, extras });
  else if (yield* select(selectCounting)) {
    const payload = { path: COUNT_PATH, body: { event } } as const;
    yield* enqueueAnalytics({ id: yield* newId("analytics"), kind: "analytics", at: yield* now(), payload });
  }
}

/** Sends an entry to the channel's tag manager (ANA-5), under the same rules. Failures are ignored. */
export function* tag(entry: { event: string; [field: string]: Json }): SagaGenerator<void> {
  yield* afterRules(enqueue, entry);
}

type Event = Omit<AnalyticsItem, "id" | "kind">;

function* store({ payload: { path, body }, ...event }: Event, id: string | undefined): SagaGenerator<void> {
  if (!(yield* select(selectRecording))) return;
  const { analytics } = yield* select((state: RootState) => state);
  const origin_url = analytics.device?.origin_url ?? "";
  const session = path === "/datalake/session/" ? {} : yield* select(sessionAt(event.at));
  const payload = { path, body: { ...body, origin_url, ...(yield* select(siteFacts)), ...session } };
  yield* enqueueAnalytics({ id: id ?? (yield* newId("analytics")), kind: "analytics", ...event, payload });
}

/** The profile and session at an event's time. */
const sessionAt =
  (at: number) =>
  (state: RootState): { profile?: string; session_uuid?: string } => {
    const profile = selectAnalyticsProfile(state);
    const session = selectAnalyticsSession(state);
    if (profile === null || session.at !== "active" || !isValid(session.expiresAt, at, SESSION_LIFETIME)) return {};
    return { profile, session_uuid: session.session };
  };

function* enqueue(entry: { event: string; [field: string]: Json }): SagaGenerator<void> {
  if ((yield* select(selectContainer)) !== null) yield* attempt("ui.tag", { entry });
}

/** Actions that may load the recording rules. */
const RULE_CHANGES = [
  analyticsActions.deviceKnown.type,
  queryActions.loaded.type,
  tabActions.streamReceived.type,
  tabActions.snapshotReceived.type,
];

/**
 * The first page of a first visit opens before the channel's rules are loaded: its events wait for them, without
 * blocking the caller, such as a purchase.
 */
function* afterRules<A extends unknown[]>(work: (...args: A) => SagaGenerator<void>, ...args: A): SagaGenerator<void> {
  if (yield* select(selectRulesLoaded)) yield* call(work, ...args);
  else
    yield* spawn(function* () {
      while (!(yield* select(selectRulesLoaded))) yield* take(RULE_CHANGES);
      yield* call(work, ...args);
    });
}
