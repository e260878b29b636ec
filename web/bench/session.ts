import { arrives, logsIn, paysForEvent, reads, wantsEvent } from "../replay/testing/journeys/acts";
import { beginVisit } from "../replay/testing/visit";
import { playerActions } from "../src/slices/player";
import { preferencesActions } from "../src/slices/preferences";

const MINUTE = 60_000;
const WATCHES = [5, 1, 3, 9];

/** The log of ten busy minutes: browsing, a login, a purchase, several videos. */
export async function tenMinutes(): Promise<string> {
  const visit = beginVisit({ seed: 99 });
  await arrives(visit);
  await logsIn(visit);
  await wantsEvent(visit, 1);
  paysForEvent(visit, 1);
  await visit.passes(5_000);
  for (let turn = 0; visit.time.now() < 10 * MINUTE; turn++) {
    const id = WATCHES[turn % WATCHES.length] ?? 5;
    visit.opens("/", reads.rails, reads.geo);
    await visit.passes(6_000);
    visit.opens("/upcoming", reads.events({ stream_status: "upcoming", limit: 24, offset: 24 * (turn % 3) }));
    visit.does(preferencesActions.chose({ name: "view", value: turn % 2 ? "table" : "cards" }));
    await visit.passes(8_000);
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
  return visit.log();
}
