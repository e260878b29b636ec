import type { Kind } from "./envelope";
import { textHash } from "./hash";

/** How a line's check begins, behind its other fields. */
export const CHECK_FIELD = ',"check":"';

/** How the hash that a checkpoint's payload ends with begins. */
export const COVERS_FIELD = ',"covers":"';

/** What the checks of a log begin with. */
export const firstCheck = (header: string): string => textHash(header);

/** Whether a line's check goes on from no line before it: lines before a gap are lost, those before a snapshot may go. */
export const standsAlone = (kind: Kind): boolean => kind === "gap" || kind === "snapshot";

/** Each line vouches for itself and for those before it, back to a gap, a snapshot or the header. */
export interface RunningCheck {
  /**
   * Adds to a checkpoint's text the hash of it and of the lines before it. The text ends with the payload, without the
   * braces of payload and line. Who edits a line and makes the checks anew does not meet it.
   */
  covering(text: string): string;
  /** Ends a line: `text` is its JSON without the closing brace. */
  ended(kind: Kind, text: string): string;
}

/** Starts the checks of a log behind its header. */
export function createRunningCheck(header: string): RunningCheck {
  const first = firstCheck(header);
  let last = first;
  return {
    covering: (text) => `${text}${COVERS_FIELD}${textHash(text, last)}"}`,
    ended(kind, text) {
      last = textHash(text, standsAlone(kind) ? first : last);
      return `${text}${CHECK_FIELD}${last}"}`;
    },
  };
}
