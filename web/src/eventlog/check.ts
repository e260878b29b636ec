import type { Kind } from "./envelope";
import { textHash } from "./hash";

/** Start of a line's check, which follows its other fields. */
export const CHECK_FIELD = ',"check":"';

/** Start of the hash at the end of a checkpoint's payload. */
export const COVERS_FIELD = ',"covers":"';

/** The check that a log's first line continues. */
export const firstCheck = (header: string): string => textHash(header);

/**
 * Whether a line's check starts a new chain: lines before a gap are lost, and those before a snapshot may be dropped.
 */
export const startsChain = (kind: Kind): boolean => kind === "gap" || kind === "snapshot";

/** Each line's check covers it and the lines before it, back to a gap, a snapshot or the header. */
export interface RunningCheck {
  /**
   * Adds to a checkpoint's text the hash of it and of the lines before it. The text ends with the payload, without the
   * closing braces of payload and line. An editor who recomputes the checks doesn't match it.
   */
  covering(text: string): string;
  /** Completes a line: `text` is its JSON without the closing brace. */
  ended(kind: Kind, text: string): string;
}

export function createRunningCheck(header: string): RunningCheck {
  const first = firstCheck(header);
  let last = first;
  return {
    covering: (text) => `${text}${COVERS_FIELD}${textHash(text, last)}"}`,
    ended(kind, text) {
      last = textHash(text, startsChain(kind) ? first : last);
      return `${text}${CHECK_FIELD}${last}"}`;
    },
  };
}
