import { createRunningCheck } from "../check";
import type { Header, Line, SnapshotPayload, State } from "../envelope";
import { sliceHash } from "../recorder";

/** A log as the text of a file, with checks that fit it; whatever is wrong with its lines besides stays so. */
export function logText(header: Header, lines: readonly Line[]): string {
  const first = JSON.stringify(header);
  const check = createRunningCheck(first);
  const texts = lines.map(({ edited: _, ...line }) => check.ended(line.kind, JSON.stringify(line).slice(0, -1)));
  return [first, ...texts].map((text) => `${text}\n`).join("");
}

/** What a snapshot of a state tells where no call was made. */
export function snapshotOf(state: object): SnapshotPayload {
  const hashes = Object.fromEntries(Object.entries(state).map(([name, value]) => [name, sliceHash(1, value)]));
  return { state: state as State, counters: {}, open: [], hashes };
}
