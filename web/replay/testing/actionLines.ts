import type { Line } from "../../src/eventlog/envelope";
import { stateHash } from "../../src/eventlog/hash";
import { canonical } from "../../src/eventlog/plain";

/** The longest payload that is written out. */
const LONGEST = 240;

/** A log's actions as text, one a line: who dispatched it, its type and its payload, a long one cut and hashed. */
export const actionLines = (lines: readonly Line[]): string[] =>
  lines.flatMap((line) => {
    if (line.kind !== "action") return [];
    const payload = canonical(line.payload);
    const whole = payload.length <= LONGEST;
    return [
      `${line.origin} ${line.type} ${whole ? payload : `${payload.slice(0, LONGEST)}… ${stateHash(line.payload)}`}`,
    ];
  });
