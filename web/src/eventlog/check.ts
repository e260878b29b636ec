import type { Kind, Line } from "./envelope";
import { textHash } from "./hash";

const FIELD = ',"check":"';
const LENGTH = FIELD.length + 16 + '"}'.length;

/** What the checks of a log begin with. */
export const firstCheck = (header: string): string => textHash(header);

/** Whether a line's check goes on from no line before it: lines before a gap are lost, those before a snapshot may go. */
const standsAlone = (kind: Kind): boolean => kind === "gap" || kind === "snapshot";

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
      return `${text}${FIELD}${last}"}`;
    },
  };
}

/** A line's JSON without its check and the closing brace. */
export const withoutCheck = (text: string): string => text.slice(0, -LENGTH);

/** Reads the lines of a log in their order; answers what is wrong with the check of each, if something is. */
export function createCheckReader(header: string): (kind: Kind, text: string) => string | undefined {
  const first = firstCheck(header);
  let last: string | undefined = first;
  return (kind, text) => {
    const before = standsAlone(kind) ? first : last;
    const fields = withoutCheck(text);
    const found = text.slice(-LENGTH);
    last = found.slice(FIELD.length, -2);
    return found.startsWith(FIELD) && textHash(fields, before) === last ? undefined : "its check does not fit";
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
