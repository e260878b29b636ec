import type { CheckpointLine, Kind, Line, SnapshotPayload } from "./envelope";
import { stateHash, textHash } from "./hash";

/** How a line's check begins, behind its other fields. */
export const CHECK_FIELD = ',"check":"';

/** What the checks of a log begin with. */
export const firstCheck = (header: string): string => textHash(header);

/** Whether a line's check goes on from no line before it: lines before a gap are lost, those before a snapshot may go. */
export const standsAlone = (kind: Kind): boolean => kind === "gap" || kind === "snapshot";

/** Each line vouches for itself and for those before it, back to a gap, a snapshot or the header. */
export interface RunningCheck {
  /** Ends a line: `text` is its JSON without the closing brace. */
  ended(kind: Kind, text: string): string;
}

/** Starts the checks of a log behind its header. */
export function createRunningCheck(header: string): RunningCheck {
  const first = firstCheck(header);
  let last = first;
  return {
    ended(kind, text) {
      last = textHash(text, standsAlone(kind) ? first : last);
      return `${text}${CHECK_FIELD}${last}"}`;
    },
  };
}

/**
 * Covers what a replay cannot find out again: the header, the time of every line, all of a line that tells of the world
 * outside, and what checkpoints and snapshots tell of the state. A checkpoint tells the hash of that since the last one.
 */
export interface OutsideCheck {
  /** Takes a line in; `fields` is its JSON without its check. The lines before a gap or a snapshot do not count. */
  add(line: Told, fields: string): void;
  /** The hash of what was taken in, which is then forgotten. */
  take(): string;
}

type Told = Pick<Line, "seq" | "kind" | "origin" | "at" | "mono"> & { readonly payload: unknown };

/** What is covered of a line that the program itself made. */
function covered({ seq, kind, at, mono, payload }: Told): string {
  const place = `${seq} ${at} ${mono}`;
  if (kind === "action") return place;
  const { slices, open, counters, hashes } = payload as Partial<CheckpointLine["payload"] & SnapshotPayload>;
  return `${place} ${stateHash({ slices, open, counters, hashes })}`;
}

/** Starts covering the log of this header. */
export function createOutsideCheck(header: string): OutsideCheck {
  const first = firstCheck(header);
  let outside = first;
  return {
    add(line, fields) {
      const { kind, origin } = line;
      const isOutside = kind === "effect" || (kind === "action" && origin !== "saga");
      outside = textHash(isOutside ? fields : covered(line), standsAlone(kind) ? first : outside);
    },
    take() {
      const taken = outside;
      outside = first;
      return taken;
    },
  };
}
