import { all, call, cancel, fork, put, race, type SagaGenerator, select, take } from "typed-redux-saga";
import { SECOND } from "../lib/time";
import { type KeyStage, RELOAD_AFTER, type StartupPart } from "../machines/startup";
import { now, sleep, sleepUntil } from "../ports/world";
import { connectionInputs } from "../slices/connection";
import type { RootState } from "../slices/index";
import { isFresh, type Query, queryActions, queryKey } from "../slices/queries";
import { selectStale, selectStartup, startupActions } from "../slices/startup";
import { attempt } from "./attempt";
import { read } from "./queries";
import { loadProfile } from "./viewer";

const BOOTSTRAP: Query = { method: "api.getBootstrap", args: {} };
const PARTICIPANTS: Query = { method: "api.getParticipants", args: {} };

const GEO: Query = { method: "api.getGeo", args: {} };

/** Retry interval while the page is stale or incomplete. */
const RETRY_INTERVAL = 30 * SECOND;

/** START-1 to START-6. */
export function* startupSaga(): SagaGenerator<void> {
  const previous = yield* select(selectStartup);
  if (previous.at === "keyFailed") {
    const wait = previous.reloadAt - (yield* now());
    // The previous page's error screen; a clock that was set back doesn't prolong it.
    if (wait > 0 && wait <= RELOAD_AFTER) yield* offerReload(previous.reloadAt);
  }
  const keys = yield* attempt("account.status", {});
  const stored = keys.ok && keys.value.api_key;
  const isDisplayed = stored && (yield* select(({ catalogue }: RootState) => catalogue.bootstrap !== null));
  yield* put(startupActions.began({ shown: isDisplayed }));
  if (!isDisplayed) yield* getKeys();
  let failed = yield* load();
  yield* put(
    isDisplayed ? (failed ? startupActions.wentStale() : startupActions.refreshed()) : startupActions.readied(),
  );
  for (;;) {
    if (failed || (yield* select(selectStale))) yield* call(retryOrOnline);
    else {
      yield* call(backOrStale);
      // The page shows cached or fresh data.
      if ((yield* select(selectStale)) || (yield* fresh(BOOTSTRAP))) continue;
    }
    yield* put(startupActions.refreshBegan());
    failed = yield* load();
    yield* put(failed ? startupActions.wentStale() : startupActions.refreshed());
  }
}

const BACK = [connectionInputs.cameOnline, connectionInputs.cameBack];

function* retryOrOnline(): SagaGenerator<void> {
  yield* race({ soon: sleep("startup.refresh", RETRY_INTERVAL), back: take(BACK) });
}

function* backOrStale(): SagaGenerator<void> {
  yield* take([...BACK, startupActions.wentStale]);
}

/** Gets the channel key, then an API key: without both there is no site. */
function* getKeys(): SagaGenerator<void> {
  for (let reload = false; ; reload = true) {
    const failed = yield* tryKeys();
    if (failed === null) {
      // START-5: the pressed reload fetched the key first, and now reloads the page.
      if (reload) yield* attempt("ui.reload", {});
      return;
    }
    const reload_at = (yield* now()) + RELOAD_AFTER;
    yield* put(startupActions.keyFailed({ stage: failed, reload_at, left: RELOAD_AFTER / SECOND }));
    yield* offerReload(reload_at);
    yield* put(startupActions.began({ shown: false }));
  }
}

function* tryKeys(): SagaGenerator<KeyStage | null> {
  const channelKey = yield* attempt("api.getChannelKey", {});
  if (!channelKey.ok) return "channelKey";
  yield* put(startupActions.channelKeyHeld());
  const apiKey = yield* attempt("api.getApiKey", {});
  if (!apiKey.ok) return "apiKey";
  yield* put(startupActions.apiKeyHeld());
  return null;
}

/** Counts down in seconds, whatever happens to the clock, then waits for the button. */
function* offerReload(reloadAt: number): SagaGenerator<void> {
  for (let max = RELOAD_AFTER / SECOND; ; max -= 1) {
    const seconds = Math.max(0, Math.min(max, Math.ceil((reloadAt - (yield* now())) / SECOND)));
    yield* put(startupActions.countdownTicked({ left: seconds }));
    if (seconds === 0) break;
    yield* sleepUntil("startup.countdown", reloadAt - (seconds - 1) * SECOND, SECOND);
  }
  yield* take(startupActions.reloadPressed);
}

function* fresh(query: Query): SagaGenerator<boolean> {
  const answeredAt = yield* select(({ freshness }: RootState) => freshness[queryKey(query)]);
  return isFresh(answeredAt, yield* now());
}

/** GEO-1: looks up the viewer's country. Nothing waits for it: each event states its own restriction. */
function* locate(): SagaGenerator<void> {
  const before = yield* select(({ catalogue: { geo } }: RootState) => geo?.country_code);
  if ((yield* read(GEO)) !== null) return;
  const now = yield* select(({ catalogue: { geo } }: RootState) => geo?.country_code);
  // Data read in another country may be blocked or open here.
  if (before !== undefined && before !== now) yield* put(queryActions.invalidated());
}

/** Loads the three parts in parallel. Returns true if one failed or came from a cache. */
function* load(): SagaGenerator<boolean> {
  const cache = yield* fork(function* () {
    yield* take(startupActions.wentStale);
  });
  yield* fork(locate);
  const parts = yield* all([
    call(() => part("profile", loadProfile())),
    call(() => part("participants", readUnlessFresh(PARTICIPANTS))),
    call(() => part("channel", readUnlessFresh(BOOTSTRAP))),
  ]);
  const answered = !cache.isRunning();
  yield* cancel(cache);
  return answered || parts.includes(false);
}

function* part(name: StartupPart, loading: SagaGenerator<boolean>): SagaGenerator<boolean> {
  const loaded = yield* loading;
  yield* put(loaded ? startupActions.partLoaded({ part: name }) : startupActions.partFailed({ part: name }));
  return loaded;
}

function* readUnlessFresh(query: Query): SagaGenerator<boolean> {
  return (yield* fresh(query)) || (yield* read(query)) === null;
}
