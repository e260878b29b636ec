import { call, type SagaGenerator, select, spawn, take } from "typed-redux-saga";
import type { AnalyticsItem, AnalyticsPath } from "../contracts/outbox";
import type { Json } from "../lib/json";
import { newId, now } from "../ports/ask";
import {
  analyticsActions,
  selectAnalyticsProfile,
  selectAnalyticsSession,
  selectContainer,
  selectRecording,
  selectRulesKnown,
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
 * Records one analytics event, where it may be (ANA-6, ANA-7), with the facts of its site (ANA-8). It belongs to
 * the session of its moment (ANA-11); the sender adds the next one where there is none. Nothing but a given `id` makes two of these the same event.
 */
export function* record(path: AnalyticsPath, body: { [field: string]: Json }, id?: string): SagaGenerator<void> {
  const at = yield* now();
  const user_id = yield* select(selectUserId);
  const trk = yield* select(selectTrk);
  const tracking = trk !== null && trk.expires_at > at ? { trk: trk.value } : {};
  const own = user_id === null ? {} : { user_id };
  yield* onceKnown(keep, { at, ...own, payload: { path, body: { ...body, user_id, ...tracking } } }, id);
}

/** Tells the tag manager (ANA-5), where the channel has one, under the same rules. What it cannot take is not missed. */
export function* tag(entry: { event: string; [field: string]: Json }): SagaGenerator<void> {
  yield* onceKnown(handOver, entry);
}

type Event = Omit<AnalyticsItem, "id" | "kind">;

function* keep({ payload: { path, body }, ...event }: Event, id: string | undefined): SagaGenerator<void> {
  if (!(yield* select(selectRecording))) return;
  const { analytics } = yield* select((state: RootState) => state);
  const origin_url = analytics.device?.origin_url ?? "";
  const session = path === "/datalake/session/" ? {} : yield* select(sessionAt(event.at));
  const payload = { path, body: { ...body, origin_url, ...(yield* select(siteFacts)), ...session } };
  yield* enqueueAnalytics({ id: id ?? (yield* newId("analytics")), kind: "analytics", ...event, payload });
}

/** Profile and session that an event of a moment is recorded in. */
const sessionAt =
  (at: number) =>
  (state: RootState): { profile?: string; session_uuid?: string } => {
    const profile = selectAnalyticsProfile(state);
    const session = selectAnalyticsSession(state);
    if (profile === null || session.at !== "active" || session.expiresAt <= at) return {};
    return { profile, session_uuid: session.session };
  };

function* handOver(entry: { event: string; [field: string]: Json }): SagaGenerator<void> {
  if ((yield* select(selectContainer)) !== null) yield* attempt("ui.tag", { entry });
}

/** What may make the rules of recording known. */
const LEARNED = [
  analyticsActions.deviceKnown.type,
  queryActions.loaded.type,
  tabActions.streamReceived.type,
  tabActions.snapshotReceived.type,
];

/**
 * The first page of a first visit is opened before the channel's rules are there: what happens on it waits for them.
 * Whoever tells of it does not: a purchase goes on.
 */
function* onceKnown<A extends unknown[]>(work: (...args: A) => SagaGenerator<void>, ...args: A): SagaGenerator<void> {
  if (yield* select(selectRulesKnown)) yield* call(work, ...args);
  else
    yield* spawn(function* () {
      while (!(yield* select(selectRulesKnown))) yield* take(LEARNED);
      yield* call(work, ...args);
    });
}
