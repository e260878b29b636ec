import { call, put, race, type SagaGenerator, select, take } from "typed-redux-saga";
import type { Preroll } from "../contracts/resources";
import { SECOND } from "../lib/time";
import { PREROLL_SUPPRESSION, PREROLL_TIMEOUT, type PrerollPlay, type PrerollTarget } from "../machines/preroll";
import { drawByWeight, matchingPrerolls } from "../machines/prerollChoice";
import { draw, now, sleepUntil } from "../ports/world";
import { selectAnalyticsProfile } from "../slices/analytics";
import { selectUserId } from "../slices/auth";
import { selectCategories, selectPrerolls, selectSettings, withDescendants } from "../slices/catalogue";
import type { RootState } from "../slices/index";
import {
  type PrerollShowing,
  prerollActions,
  prerollRecordActions,
  selectPreroll,
  selectPrerollRecords,
  showingKey,
} from "../slices/preroll";
import { tabActions } from "../slices/tabs";
import { selectCapabilities } from "../slices/user";

/** PRE-1 to PRE-3. */
export function* prerollSaga(): SagaGenerator<void> {
  for (;;) {
    const state = yield* select(selectPreroll);
    switch (state.at) {
      case "idle":
      case "done":
      case "suppressed":
        yield* take(prerollActions.wanted);
        break;
      case "selecting":
        yield* choose(state.target);
        break;
      case "playing":
        yield* race({
          playing: call(() => play(state)),
          over: take([prerollActions.ended, prerollActions.left, prerollActions.wanted]),
        });
        break;
    }
  }
}

function* choose(target: PrerollTarget): SagaGenerator<void> {
  if ((yield* select(selectCapabilities)).no_ads) {
    yield* put(prerollActions.suppressed({ reason: "no_ads" }));
    return;
  }
  const tree = yield* select(selectCategories);
  const inside = (categories: readonly number[]): boolean =>
    withDescendants(tree, new Set(categories)).has(target.event_category_id);
  const prerolls = matchingPrerolls(yield* select(selectPrerolls), target, inside);
  const records = yield* select(selectPrerollRecords);
  const viewer = yield* select(viewerOf);
  const at = yield* now();
  const isSuppressed = ({ id }: Preroll): boolean => {
    const until = records[showingKey({ viewer, ...watched(target), preroll_id: id })];
    // A record further ahead than possible was written under another clock: it still counts as seen.
    return until !== undefined && until > at;
  };
  const unseen = prerolls.filter((preroll) => !isSuppressed(preroll));
  if (prerolls.length > 0 && unseen.length === 0) {
    yield* put(prerollActions.suppressed({ reason: "seen" }));
    return;
  }
  const preroll = drawByWeight(unseen, yield* draw("preroll"));
  yield* put(
    preroll === null
      ? prerollActions.noneMatched()
      : prerollActions.chosen({ preroll_id: preroll.id, url: preroll.url, give_up_at: at + PREROLL_TIMEOUT }),
  );
}

/** Records the preroll at its first frame; without one in time, the video starts. */
function* play({ target, prerollId, shown, giveUpAt }: Extract<PrerollPlay, { at: "playing" }>): SagaGenerator<void> {
  if (!shown) {
    const showing: PrerollShowing = {
      viewer: yield* select(viewerOf),
      ...watched(target),
      preroll_id: prerollId,
    };
    const { frame, elsewhere } = yield* race({
      frame: take(prerollActions.firstFrameShown),
      time: sleepUntil("preroll.patience", giveUpAt, PREROLL_TIMEOUT),
      elsewhere: call(untilDisplayedElsewhere, showing),
    });
    if (frame === undefined) {
      yield* put(prerollActions.ended(elsewhere ? { how: "skipped" } : { how: "broken", code: "timeout" }));
      return;
    }
    const at = yield* now();
    const period = yield* select(suppressedFor);
    yield* put(prerollRecordActions.recorded({ ...showing, at, expires_at: at + period }));
  }
  yield* take([prerollActions.ended, prerollActions.left, prerollActions.wanted]);
}

/** Another tab shows it: the hourly limit applies across tabs. */
function* untilDisplayedElsewhere(showing: PrerollShowing): SagaGenerator<true> {
  for (;;) {
    yield* take([prerollRecordActions.recorded.type, tabActions.streamReceived.type, tabActions.snapshotReceived.type]);
    const until = (yield* select(selectPrerollRecords))[showingKey(showing)];
    if (until !== undefined && until > (yield* now())) return true;
  }
}

const watched = ({ event_id, vod_id }: PrerollTarget) => ({ event_id, ...(vod_id === undefined ? {} : { vod_id }) });

/** PRE-3: suppression of a seen preroll, in milliseconds. */
const suppressedFor = (state: RootState): number => {
  const seconds = selectSettings(state)?.preroll_period_s;
  return seconds === undefined ? PREROLL_SUPPRESSION : seconds * SECOND;
};

const viewerOf = (state: RootState): string =>
  String(selectUserId(state) ?? selectAnalyticsProfile(state) ?? "anonymous");
