import { createRunningCheck } from "../check";
import type { Header, Line, SnapshotPayload, State } from "../envelope";
import { sliceHash } from "../recorder";

/** A log as the text of a file, as a recorder of these lines would have written it: every check matches. */
export function logText(header: Header, lines: readonly Line[]): string {
  const first = JSON.stringify(header);
  const check = createRunningCheck(first);
  const texts = lines.map(({ edited: _, ...line }) => {
    if (line.kind !== "checkpoint") return check.ended(line.kind, JSON.stringify(line).slice(0, -1));
    const { payload, ...rest } = line;
    const { covers: __, ...told } = payload;
    const text = JSON.stringify({ ...rest, payload: told });
    return check.ended(line.kind, check.covering(text.slice(0, -2)));
  });
  return [first, ...texts].map((text) => `${text}\n`).join("");
}

/** The snapshot of a state before any call. */
export function snapshotOf(state: object): SnapshotPayload {
  const hashes = Object.fromEntries(Object.entries(state).map(([name, value]) => [name, sliceHash(1, value)]));
  return { state: state as State, counters: {}, open: [], hashes };
}
