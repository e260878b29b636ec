import {
  actionChannel,
  all,
  call,
  fork,
  put,
  race,
  type SagaGenerator,
  select,
  take,
  takeEvery,
  takeLatest,
} from "typed-redux-saga";
import type { Id } from "../contracts/resources";
import type { Json } from "../lib/json";
import { SECOND } from "../lib/time";
import { groupOf, productOf, TRACKING_LIFETIME_MS } from "../navigation";
import { newId, now, sleep } from "../ports/world";
import { analyticsActions, selectConsent, viewerActed } from "../slices/analytics";
import type { RootState } from "../slices/index";
import { navigationActions, type PageVisit, selectCurrentPage, selectPreviousPage } from "../slices/navigation";
import { analyticsOutboxActions } from "../slices/outbox";
import { type Playable, playerActions, selectPlayer } from "../slices/player";
import { preferencesActions } from "../slices/preferences";
import { prerollActions, spotQuarterReached } from "../slices/preroll";
import { siteActions } from "../slices/site";
import { selectLeads } from "../slices/tabs";
import { attempt } from "./attempt";
import { record, recordOrCount, tag } from "./record";
import { until } from "./stream";
import { type Content, contentOf, eventContent, viewingFacts, vodContent } from "./viewingFacts";

/** Interval of viewing reports while a video plays. */
const HEARTBEAT = 30 * SECOND;

/** NAV-5, ANA-2: pages and videos. */
export function* analyticsSaga(): SagaGenerator<void> {
  // Before the analytics session, whose row carries it and which may start before the first page is displayed.
  yield* takeEvery(siteActions.opened, ({ payload: { trk = null } }) => storeTracking(trk));

  yield* takeEvery(navigationActions.pageOpened, function* ({ payload: { page, trk } }) {
    // NAV-6: stored before the visit is recorded, which carries it.
    yield* storeTracking(trk);
    yield* recordVisit(page);
  });

  // Pages opened before consent aren't recorded, except the one on which the viewer consents.
  yield* takeEvery(analyticsActions.consentGiven, function* () {
    const page = yield* select(selectCurrentPage);
    if (page !== null) yield* recordVisit(page);
    // The leader records it for the page that asked.
    if (yield* select(selectLeads)) yield* recordOrCount("consent_given");
  });

  yield* takeEvery(analyticsActions.consentRefused, function* () {
    // At once, since the page may close. The discarding leaves it, and may interrupt its sending.
    if (yield* select(selectLeads)) yield* fork(recordOrCount, "consent_refused");
    yield* attempt("outbox.forget", { kind: "analytics" });
    yield* put(analyticsOutboxActions.nudged());
  });

  yield* takeEvery(viewerActed, ({ payload: { event, extras } }) => recordOrCount(event, extras));

  yield* fork(finishRefusal);

  // A preroll is recorded under the viewing that follows it.
  let preparedViewing: string | null = null;
  yield* takeEvery(prerollActions.chosen, function* ({ payload: { preroll_id } }) {
    const { preroll } = yield* select();
    if (preroll.at !== "playing") return;
    preparedViewing = yield* newId("analytics.view");
    const { event_id, vod_id } = preroll.target;
    const content = vod_id === undefined ? eventContent(event_id) : vodContent(vod_id);
    yield* recordPreroll({ stream_id: preroll_id, stream_type: "preroll", ...content }, preparedViewing);
  });

  yield* takeLatest(playerActions.opened, function* ({ payload: view }) {
    const prerollViewing = (yield* select(followsPreroll(view))) ? preparedViewing : null;
    preparedViewing = null;
    const view_uuid = prerollViewing ?? (yield* newId("analytics.view"));
    yield* all([
      call(recordMoments, view, view_uuid),
      call(recordViewing, view, view_uuid),
      call(recordReports, view, view_uuid),
    ]);
  });
}

function* storeTracking(trk: string | null): SagaGenerator<void> {
  if (trk === null) return;
  yield* put(preferencesActions.trkHeld({ value: trk, expires_at: (yield* now()) + TRACKING_LIFETIME_MS }));
}

/** Completes a refusal that an earlier page didn't finish because it closed or reloaded. */
function* finishRefusal(): SagaGenerator<void> {
  yield* until((state) => selectLeads(state) && state.startup.at === "ready");
  if ((yield* select(selectConsent)) === "refused") yield* attempt("outbox.forget", { kind: "analytics" });
}

/** A page's path in analytics: anyone with a shared clip's full address can watch it (CLIP-3). */
const pathOf = ({ name, path, params }: PageVisit): string => (name === "share" ? `/share/${params.id}` : path);

function* recordVisit(page: PageVisit): SagaGenerator<void> {
  const previous = yield* select(selectPreviousPage);
  const path = pathOf(page);
  const product = productOf(page);
  const named = product && { product_type: product.type, product_id: String(product.id) };
  const group = groupOf(page.name);
  const extras = { page: path, name: page.name, group, previous: previous && pathOf(previous), ...named };
  yield* record("/datalake/event/", { event: "visit", extras });
  yield* tag({ event: "page_view", page_path: path, page_name: page.name, page_group: group });
}

const followsPreroll =
  ({ kind, id }: Playable) =>
  ({ preroll }: RootState): boolean =>
    preroll.at === "done" &&
    (kind === "event" ? preroll.target.event_id === id : kind === "vod" && preroll.target.vod_id === id);

const { firstFrameShown, ended, left, wanted } = prerollActions;
type PrerollMoment = ReturnType<
  (typeof prerollActions)["firstFrameShown" | "ended" | "left" | "wanted"] | typeof spotQuarterReached
>;

const QUARTERS = { 25: "preroll_first_quartile", 50: "preroll_midpoint", 75: "preroll_third_quartile" } as const;
const ENDS = { played: "preroll_ended", skipped: "preroll_skipped", broken: "preroll_failed" } as const;

/** PRE-6: a preroll's first frame, the quarters of its length, and its end. Leaving it sends nothing. */
function* recordPreroll(preroll: Subject, view_uuid: string): SagaGenerator<void> {
  // Buffered, so that none is missed while another is stored.
  const moments = yield* actionChannel([firstFrameShown, spotQuarterReached, ended, left, wanted]);
  let isDisplayed = false;
  for (;;) {
    const moment = (yield* take(moments)) as PrerollMoment;
    if (left.match(moment) || wanted.match(moment)) return;
    if (firstFrameShown.match(moment)) yield* recordVideoEvent(preroll, view_uuid, "preroll_started", {});
    if (spotQuarterReached.match(moment))
      yield* recordVideoEvent(preroll, view_uuid, QUARTERS[moment.payload.quarter], {});
    isDisplayed ||= firstFrameShown.match(moment);
    if (!ended.match(moment)) continue;
    // Another tab shows a preroll that was skipped before its first frame.
    const { how } = moment.payload;
    const code = moment.payload.how === "broken" ? { code: moment.payload.code } : {};
    if (isDisplayed || how === "broken") yield* recordVideoEvent(preroll, view_uuid, ENDS[how], code);
    return;
  }
}

const MOMENTS = [
  playerActions.firstFrameShown,
  playerActions.played,
  playerActions.paused,
  playerActions.stalled,
  playerActions.seeked,
  playerActions.ended,
] as const;

type Moment = ReturnType<(typeof MOMENTS)[number] | typeof playerActions.failed | typeof playerActions.closed>;

/** Actions that end a stretch of playing; after a page was left another may start. */
const STOPS = [
  playerActions.paused.type,
  playerActions.stalled.type,
  playerActions.ended.type,
  playerActions.failed.type,
  playerActions.closed.type,
  playerActions.pageLeft.type,
];

/** `player/firstFrameShown` becomes `first_frame_shown`. */
const nameOf = (type: string): string =>
  type.slice(type.indexOf("/") + 1).replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function* recordMoments(view: Playable, view_uuid: string): SagaGenerator<void> {
  // Buffered: the first frame often comes before the opening is stored.
  const moments = yield* actionChannel([...MOMENTS, playerActions.failed, playerActions.closed]);
  const subject = yield* select(subjectOf(view));
  yield* recordVideoEvent(subject, view_uuid, "opened", {});
  for (;;) {
    const moment = (yield* take(moments)) as Moment;
    const { position, code } = (moment.payload ?? {}) as { position?: number; code?: string };
    yield* recordVideoEvent(subject, view_uuid, nameOf(moment.type), {
      ...(position === undefined ? {} : { position }),
      ...(code === undefined ? {} : { code }),
    });
    if (playerActions.closed.match(moment)) return;
  }
}

interface Subject extends Content {
  readonly stream_id: Id;
  readonly stream_type: Playable["stream_type"] | "preroll";
}

const subjectOf =
  (view: Playable) =>
  (state: RootState): Subject => ({
    stream_id: view.stream_id,
    stream_type: view.stream_type,
    ...contentOf(view)(state),
  });

function* recordVideoEvent(
  { stream_id, ...what }: Subject,
  video_view_uuid: string,
  event: string,
  extras: { [field: string]: Json },
): SagaGenerator<void> {
  yield* record("/datalake/video/event/", {
    video_view_uuid,
    stream_id: String(stream_id),
    ...what,
    event,
    extras,
  });
}

/** Seconds played, sent by heartbeats, at each pause, when the page is left and at the end. */
function* recordViewing(view: Playable, view_uuid: string): SagaGenerator<void> {
  /** Milliseconds played and not yet sent: only whole seconds are. */
  let unsentMs = 0;
  for (;;) {
    yield* until((state) => ["playing", "closed"].includes(selectPlayer(state).at));
    if ((yield* select(selectPlayer)).at === "closed") return;
    // Read at the start of the stretch: a logout during it may drop the video.
    const what = yield* select(viewingOf(view));
    const since = yield* now();
    yield* race({ beat: sleep("analytics.heartbeat", HEARTBEAT), stopped: take(STOPS) });
    // A device that slept, or whose clock was set, did not play for that long.
    unsentMs += Math.min(Math.max(0, (yield* now()) - since), 2 * HEARTBEAT);
    const viewing_time = Math.round(unsentMs / SECOND);
    if (viewing_time === 0) continue;
    unsentMs -= viewing_time * SECOND;
    // Forked, since playback continues.
    yield* fork(recordSeconds, { video_view_uuid: view_uuid, ...what }, viewing_time);
  }
}

/** QOE-1: playback quality, as the player reports it. The last report comes as the viewer leaves. */
function* recordReports(view: Playable, view_uuid: string): SagaGenerator<void> {
  const reports = yield* actionChannel([playerActions.reported, playerActions.closed]);
  const { stream_id, ...what } = yield* select(subjectOf(view));
  for (;;) {
    const action = yield* take(reports);
    if (playerActions.closed.match(action)) return;
    // Forked: the next one may be the last before the page is gone.
    const report = (action as ReturnType<typeof playerActions.reported>).payload as unknown as {
      [key: string]: Json;
    };
    yield* fork(recordReport, { sid: view_uuid, ...report, stream_id: String(stream_id), ...what });
  }
}

function* recordReport(body: { [field: string]: Json }): SagaGenerator<void> {
  yield* record("/datalake/cmcd/", body);
}

const viewingOf = (view: Playable) => (state: RootState) => {
  const { stream_id, ...what } = subjectOf(view)(state);
  return { stream_id: String(stream_id), ...what, ...viewingFacts(view)(state) };
};

function* recordSeconds(view: { [field: string]: Json }, viewing_time: number): SagaGenerator<void> {
  yield* record("/datalake/video/viewing/", { viewing_time, ...view });
}
