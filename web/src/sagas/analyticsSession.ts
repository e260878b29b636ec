import { call, put, race, type SagaGenerator, select, take } from "typed-redux-saga";
import { SESSION_LIFETIME } from "../contracts/outbox";
import { fullJitter } from "../lib/backoff";
import { isValid, MINUTE, SECOND } from "../lib/time";
import { draw, newId, now, sleepUntil } from "../ports/world";
import {
  analyticsActions,
  analyticsSessionActions,
  selectAnalyticsProfile,
  selectAnalyticsSession,
  selectSending,
} from "../slices/analytics";
import { connectionInputs } from "../slices/connection";
import type { RootState } from "../slices/index";
import { analyticsOutboxActions } from "../slices/outbox";
import { queryActions } from "../slices/queries";
import { startupActions } from "../slices/startup";
import { attempt } from "./attempt";
import { record } from "./record";

const RETRY = { base: 30 * SECOND, cap: 30 * MINUTE } as const;

/** ANA-1. One session per browser, fetched by the leader. */
export function* analyticsSessionSaga(): SagaGenerator<void> {
  for (;;) {
    if (!(yield* select(isSessionNeeded))) {
      yield* take(CHANGES);
      continue;
    }
    if ((yield* select(selectAnalyticsProfile)) === null) yield* drawProfile();
    const state = yield* select(selectAnalyticsSession);
    switch (state.at) {
      case "none":
      case "expired":
        yield* put(analyticsSessionActions.fetchBegan());
        break;
      case "fetching":
        yield* fetchSession(state.attempt);
        break;
      case "active": {
        const { isOver } = yield* race({
          isOver: call(waitUntilExpiry, state.expiresAt),
          forgotten: call(untilRefused),
        });
        if (isOver) yield* put(analyticsSessionActions.expired());
        break;
      }
      case "failed":
        yield* race({
          time: sleepUntil("analytics.retry", state.retryAt, RETRY.cap),
          online: take(connectionInputs.cameOnline),
        });
        yield* put(analyticsSessionActions.fetchBegan());
        break;
    }
  }
}

/** Actions that may start recording. */
const CHANGES = [
  startupActions.readied.type,
  startupActions.began.type,
  queryActions.loaded.type,
  analyticsActions.deviceKnown.type,
  analyticsActions.consentGiven.type,
];

const isSessionNeeded = (state: RootState): boolean => state.startup.at === "ready" && selectSending(state);

/** Draws the browser's permanent key. An existing session belongs to the forgotten browser. */
function* drawProfile(): SagaGenerator<void> {
  if ((yield* select(selectAnalyticsSession)).at === "active") yield* put(analyticsSessionActions.expired());
  yield* put(analyticsActions.profileDrawn({ profile: yield* newId("analytics.profile") }));
}

/** No timer runs while the machine sleeps, so the clock is checked again when the page or network returns. */
function* waitUntilExpiry(expiresAt: number): SagaGenerator<true> {
  while (isValid(expiresAt, yield* now(), SESSION_LIFETIME)) {
    const { back } = yield* race({
      time: sleepUntil("analytics.session", expiresAt, SESSION_LIFETIME),
      back: take([connectionInputs.cameBack, connectionInputs.cameOnline]),
    });
    if (back === undefined) return true;
  }
  return true;
}

/** Returns once the viewer refused. */
function* untilRefused(): SagaGenerator<void> {
  while ((yield* select(selectAnalyticsProfile)) !== null) yield* take(analyticsActions.consentRefused);
}

function* fetchSession(failures: number): SagaGenerator<void> {
  const answer = yield* attempt("api.getAnalyticsSession", {});
  if (!answer.ok) {
    const wait = RETRY.base + fullJitter(failures, RETRY, yield* draw("analytics.retry"));
    yield* put(analyticsSessionActions.fetchFailed({ retry_at: (yield* now()) + Math.min(wait, RETRY.cap) }));
    return;
  }
  const session = answer.value;
  const { analytics } = yield* select((state: RootState) => state);
  const { device_type = "", user_agent = "", resolution = "" } = analytics.device ?? {};
  // Stored before the session starts: a page that closes in between fetches another, and no session goes unrecorded.
  yield* record("/datalake/session/", {
    profile: yield* select(selectAnalyticsProfile),
    session,
    device_type,
    user_agent,
    resolution,
    platform: "web",
  });
  yield* put(analyticsSessionActions.fetched({ session, expires_at: (yield* now()) + SESSION_LIFETIME }));
  // Events that waited for a session go now.
  yield* put(analyticsOutboxActions.nudged());
}
