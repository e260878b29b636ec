import { CHECKPOINT_INTERVAL } from "../../src/eventlog/envelope";
import { clipActions, DRAFT } from "../../src/slices/clip";
import { playerActions } from "../../src/slices/player";
import { preferencesActions } from "../../src/slices/preferences";
import { arrives, choosesEvent, logsIn, paysForEvent, reads } from "./journeys/actions";
import { beginVisit, type Visit, type VisitSetup } from "./visit";

const MINUTE = 60_000;
const WATCHES = [5, 1, 3, 9];

/** Watches an event for 36 seconds, seeking forward. */
async function watches(visit: Visit, id: number): Promise<void> {
  visit.opens(`/watch/${id}`, reads.event(id), reads.eventClips(id));
  visit.does(playerActions.opened({ kind: "event", id, stream_id: id * 10 + 2, stream_type: "live" }));
  await visit.passes(1_000);
  visit.does(playerActions.firstFrameShown({ position: 0 }));
  for (let position = 5; position < 40; position += 5) {
    await visit.passes(5_000);
    visit.does(playerActions.seeked({ position, from: position - 1 }));
  }
  visit.does(playerActions.closed());
}

/** Cuts a clip of an event, and waits until it is ready. */
async function cutsClip(visit: Visit, event_id: number): Promise<void> {
  visit.opens(`/watch/${event_id}`, reads.event(event_id), reads.eventClips(event_id));
  await visit.passes(4_000);
  const request = { event_id, name: "Goal", start_time: 12, duration: 9, tags: ["goal"], event_media_id: 52 };
  visit.does(clipActions.submitPressed({ key: DRAFT, request, media_duration: 40 }));
  await visit.passes(30_000);
}

/** The log of busy minutes: two lists in turn, several events played, a login, a purchase, a clip. */
export async function longUse(minutes: number, setup: VisitSetup = {}): Promise<string> {
  const visit = beginVisit({ seed: 99, checkpointEvery: CHECKPOINT_INTERVAL, ...setup });
  await arrives(visit);
  await logsIn(visit);
  await choosesEvent(visit, 1);
  paysForEvent(visit, 1);
  await visit.passes(5_000);
  await cutsClip(visit, 5);
  for (let turn = 0; visit.time.now() < minutes * MINUTE; turn++) {
    visit.opens("/", reads.rails, reads.geo);
    await visit.passes(6_000);
    visit.opens("/upcoming", reads.events({ stream_status: "upcoming", limit: 24, offset: 24 * (turn % 3) }));
    visit.does(preferencesActions.chose({ name: "view", value: turn % 2 ? "table" : "cards" }));
    await visit.passes(8_000);
    await watches(visit, WATCHES[turn % WATCHES.length] ?? 5);
  }
  return visit.log();
}
