import type { Line } from "../../src/eventlog/envelope";
import { stateHash } from "../../src/eventlog/hash";
import { canonical } from "../../src/eventlog/plain";

/** Payloads above this length are cut and hashed. */
const MAX_LENGTH = 240;

/** A log's actions as text, one per line: origin, type and payload, with long payloads cut and hashed. */
export const actionLines = (lines: readonly Line[]): string[] =>
  lines.flatMap((line) => {
    if (line.kind !== "action") return [];
    const payload = canonical(line.payload);
    const whole = payload.length <= MAX_LENGTH;
    return [
      `${line.origin} ${line.type} ${whole ? payload : `${payload.slice(0, MAX_LENGTH)}… ${stateHash(line.payload)}`}`,
    ];
  });
