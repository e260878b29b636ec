import type { Recording } from "./recording";

/** A step of a recording that others are compared with. */
export interface Base {
  readonly recording: Recording;
  readonly position: number;
}

/** The positions of a recording's actions. */
const actionsOf = ({ log }: Recording) =>
  log.lines.flatMap((line, index) => (line.kind === "action" ? [{ type: line.type, position: index + 1 }] : []));

/**
 * The positions at which the actions of two recordings first differ by type, since ids and times always do; the end of
 * the shorter one if it is the longer one's start. Undefined if all are the same.
 */
export function firstDifference(one: Recording, other: Recording): { one: number; other: number } | undefined {
  const [left, right] = [actionsOf(one), actionsOf(other)];
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) {
    if (left[index]?.type === right[index]?.type) continue;
    return {
      one: left[index]?.position ?? one.log.lines.length,
      other: right[index]?.position ?? other.log.lines.length,
    };
  }
  return undefined;
}
