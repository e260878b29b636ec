import { CHECK_FIELD, firstCheck, standsAlone } from "./check";
import type { Kind } from "./envelope";
import { textHash } from "./hash";

const LENGTH = CHECK_FIELD.length + 16 + '"}'.length;

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
    last = found.slice(CHECK_FIELD.length, -2);
    return found.startsWith(CHECK_FIELD) && textHash(fields, before) === last ? undefined : "its check does not fit";
  };
}
