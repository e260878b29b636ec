/** Bounds of a backoff, in milliseconds. */
export interface BackoffBounds {
  /** The longest wait before the first attempt that follows a failure. */
  readonly base: number;
  /** The longest wait there is. */
  readonly cap: number;
}

/** The longest wait before attempt `attempt` (0 is the first): doubles from `base` up to `cap`. */
export function backoffCeiling(attempt: number, { base, cap }: BackoffBounds): number {
  // 2 ** 30 milliseconds is past any cap: the exponent is held so that the product stays finite.
  return Math.min(cap, base * 2 ** Math.min(Math.max(attempt, 0), 30));
}

/**
 * Full jitter: any wait from 0 to the ceiling is equally likely, so that clients that failed together do not return
 * together. `drawn` is a number of [0, 1).
 */
export function fullJitter(attempt: number, bounds: BackoffBounds, drawn: number): number {
  return Math.floor(backoffCeiling(attempt, bounds) * drawn);
}
