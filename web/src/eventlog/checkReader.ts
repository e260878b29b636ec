import { CHECK_FIELD, COVERS_FIELD, firstCheck, startsChain } from "./check";
import type { Kind } from "./envelope";
import { textHash } from "./hash";

const LENGTH = CHECK_FIELD.length + 16 + '"}'.length;
const COVERS_LENGTH = COVERS_FIELD.length + 16 + '"}'.length;

/** A line's JSON without its check and closing brace. */
export const withoutCheck = (text: string): string => text.slice(0, -LENGTH);

/** A checkpoint's JSON without its check, its covering hash, and the closing braces of payload and line. */
const withoutCovers = (text: string): string => withoutCheck(text).slice(0, -COVERS_LENGTH);

/** Checks a log's lines in order; returns the fault of each line's check, if any. */
export function createCheckReader(header: string): (kind: Kind, text: string) => string | undefined {
  const first = firstCheck(header);
  let last = first;
  return (kind, text) => {
    const before = startsChain(kind) ? first : last;
    const fields = withoutCheck(text);
    const found = text.slice(-LENGTH);
    last = found.slice(CHECK_FIELD.length, -2);
    if (!found.startsWith(CHECK_FIELD) || textHash(fields, before) !== last) return "its check does not match";
    if (kind !== "checkpoint") return undefined;
    const covers = `${COVERS_FIELD}${textHash(withoutCovers(text), before)}"}`;
    return fields.endsWith(covers) ? undefined : "it, the header or a line before it was changed";
  };
}
