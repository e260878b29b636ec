import { call, fork, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { Clip } from "../contracts/resources";
import { SECOND } from "../lib/time";
import { CLIP_LATE_AFTER, type ClipMaking } from "../machines/clip";
import { clipRefusal } from "../machines/clipChoice";
import { newId, now, sleep, sleepUntil } from "../ports/world";
import { authActions, selectLoggedIn } from "../slices/auth";
import { clipActions, DRAFT, selectClipsInProgress } from "../slices/clip";
import { connectionActions, connectionInputs, connectionSnapshotReceived } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import { outboxActions } from "../slices/outbox";
import { enqueue } from "./outbox";
import { read } from "./queries";

/** Poll interval of clips in progress. */
const POLL_INTERVAL = 5 * SECOND;

/** CLIP-1, VAL-3: the page whose button was pressed requests the clip. */
export function* clipFormSaga(): SagaGenerator<void> {
  yield* takeEvery(clipActions.submitPressed, function* ({ payload: { request, media_duration } }) {
    const facts = { loggedIn: yield* select(selectLoggedIn), mediaDuration: media_duration };
    const message = clipRefusal(request, facts);
    if (message !== null) {
      yield* put(clipActions.rejected({ key: DRAFT, message }));
      return;
    }
    const key = yield* newId("clip");
    yield* put(clipActions.submitted({ key, request: { ...request }, late_at: (yield* now()) + CLIP_LATE_AFTER }));
    yield* enqueue(key, "clip.create", { ...request, tags: [...request.tags], name: request.name.trim() });
  });
}

/** CLIP-2: follows the clips. */
export function* clipSaga(): SagaGenerator<void> {
  yield* takeEvery([connectionInputs.statusReceived, connectionSnapshotReceived], function* (reported) {
    const statuses = connectionSnapshotReceived.match(reported) ? reported.payload.statuses : [reported.payload];
    for (const status of statuses) if (status.kind === "clip") yield* seeById(status.state);
  });

  // Statuses that arrived before the answer with the clip's id.
  yield* takeEvery(outboxActions.itemAnswered, applyStored);
  yield* applyStored();

  yield* fork(reportLate);
  yield* fork(poll);
}

type Created = Extract<ClipMaking, { at: "queued" | "processing" }>;

const isCreated = (making: ClipMaking): making is Created => making.at === "queued" || making.at === "processing";

function* see(key: string, { id, status, version }: Clip): SagaGenerator<void> {
  yield* put(clipActions.seen({ key, clip_id: id, status, version }));
}

function* seeById(clip: Clip): SagaGenerator<void> {
  for (const [key, making] of Object.entries(yield* select(selectClipsInProgress)))
    if (isCreated(making) && making.clipId === clip.id) yield* see(key, clip);
}

/** Passes the stored statuses to the machine. */
function* applyStored(): SagaGenerator<void> {
  const { byId } = yield* select(({ clips }: RootState) => clips);
  for (const [key, making] of Object.entries(yield* select(selectClipsInProgress))) {
    const clip = isCreated(making) ? byId[making.clipId] : undefined;
    if (isCreated(making) && clip !== undefined && clip.version > making.version) yield* see(key, clip);
  }
}

/** Notifies the viewer of a slow clip, which doesn't fail. */
function* reportLate(): SagaGenerator<void> {
  for (;;) {
    const next = yield* select(nextDeadline);
    if (next === null) {
      yield* take(clipActions.submitted);
      continue;
    }
    const { more } = yield* race({
      time: sleepUntil("clip.late", next.lateAt, CLIP_LATE_AFTER),
      more: take([
        clipActions.submitted,
        clipActions.seen,
        clipActions.failed,
        outboxActions.itemAnswered,
        authActions.loggedOut,
        authActions.reset,
      ]),
    });
    if (more === undefined) yield* put(clipActions.ranLate({ key: next.key }));
  }
}

/** The clip with the earliest deadline. */
function nextDeadline(state: RootState): { key: string; lateAt: number } | null {
  let next: { key: string; lateAt: number } | null = null;
  for (const [key, making] of Object.entries(selectClipsInProgress(state)))
    if ("lateAt" in making && !making.late && (next === null || making.lateAt < next.lateAt))
      next = { key, lateAt: making.lateAt };
  return next;
}

/** Polls clips, also while the stream is live: a socket can be dead without a close. */
function* poll(): SagaGenerator<void> {
  for (;;) {
    if (!(yield* select(mustPoll))) {
      yield* take(POLL_TRIGGERS);
      continue;
    }
    const { time } = yield* race({ time: call(waited), link: take(connectionActions.welcomed) });
    if (!time) continue;
    if ((yield* read({ method: "api.listUserClips", args: {} })) !== null) continue;
    yield* applyStored();
  }
}

const POLL_TRIGGERS = [
  clipActions.seen.type,
  outboxActions.itemAnswered.type,
  connectionActions.lost.type,
  connectionActions.drainBegan.type,
  connectionInputs.cameOnline.type,
  connectionInputs.wentOffline.type,
];

const mustPoll = (state: RootState): boolean =>
  selectOnline(state) && Object.values(selectClipsInProgress(state)).some(isCreated);

function* waited(): SagaGenerator<true> {
  yield* sleep("clip.look", POLL_INTERVAL);
  return true;
}
