export interface BackoffBounds {
  /** The longest wait before the first retry. */
  readonly base: number;
  readonly cap: number;
}

/** The longest wait before attempt `attempt` (from 0): doubles from `base` up to `cap`. */
export function backoffCeiling(attempt: number, { base, cap }: BackoffBounds): number {
  // 2 ** 30 milliseconds exceeds any cap; the limit keeps the product finite.
  return Math.min(cap, base * 2 ** Math.min(Math.max(attempt, 0), 30));
}

/**
 * Full jitter: any wait from 0 to the ceiling is equally likely, so that clients that failed together don't return
 * together. `drawn` is in [0, 1).
 */
export function fullJitter(attempt: number, bounds: BackoffBounds, drawn: number): number {
  return Math.floor(backoffCeiling(attempt, bounds) * drawn);
}
