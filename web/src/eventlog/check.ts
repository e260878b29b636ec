import type { Kind, Line } from "./envelope";
import { textHash } from "./hash";

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
 * Covers what a replay cannot find out again: the time of every line, and all of a line that tells of the world outside.
 * A checkpoint tells the hash of that since the last one.
 */
export interface OutsideCheck {
  /** Takes a line in; `fields` is its JSON without its check. The lines before a gap or a snapshot do not count. */
  add(line: Pick<Line, "kind" | "origin" | "at" | "mono">, fields: string): void;
  /** The hash of what was taken in, which is then forgotten. */
  take(): string;
}

/** Starts covering. */
export function createOutsideCheck(): OutsideCheck {
  let outside = "";
  return {
    add({ kind, origin, at, mono }, fields) {
      const isOutside = kind === "effect" || (kind === "action" && origin !== "saga");
      outside = textHash(isOutside ? fields : `${at} ${mono}`, standsAlone(kind) ? "" : outside);
    },
    take() {
      const taken = outside;
      outside = "";
      return taken;
    },
  };
}
