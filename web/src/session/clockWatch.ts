import type { Instant } from "../eventlog/turns";

/** A larger difference of the two clocks between two turns is a jump, in milliseconds. */
const JUMP_MS = 2_000;

/**
 * Samples the clocks for each turn. `jumped` is called when the wall clock moved against the page's own: it was set,
 * or the device slept.
 */
export function watchClock(sample: () => Instant, jumped: () => void): () => Instant {
  let last: Instant | null = null;
  return () => {
    const next = sample();
    if (last !== null && Math.abs(next.at - last.at - (next.mono - last.mono)) > JUMP_MS) jumped();
    last = next;
    return next;
  };
}
