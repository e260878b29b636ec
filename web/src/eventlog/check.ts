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

/** Reads the lines of a log in their order; answers what is wrong with the check of each, if something is. */
export function createCheckReader(header: string): (kind: Kind, text: string) => string | undefined {
  const first = firstCheck(header);
  let last: string | undefined = first;
  return (kind, text) => {
    const before = standsAlone(kind) ? first : last;
    const fields = text.slice(0, -LENGTH);
    const found = text.slice(-LENGTH);
    last = found.slice(FIELD.length, -2);
    return found.startsWith(FIELD) && textHash(fields, before) === last ? undefined : "its check does not fit";
  };
}

/** Covers when lines were written: a checkpoint tells the hash of the times of the lines since the last one. */
export interface TimesCheck {
  /** Takes a line in. The lines before a gap or a snapshot do not count. */
  add(line: Pick<Line, "kind" | "at" | "mono">): void;
  /** The hash of what was taken in, which is then forgotten. */
  take(): string;
}

/** Starts covering times. */
export function createTimesCheck(): TimesCheck {
  let times = "";
  return {
    add({ kind, at, mono }) {
      times = textHash(`${at} ${mono}`, standsAlone(kind) ? "" : times);
    },
    take() {
      const taken = times;
      times = "";
      return taken;
    },
  };
}
