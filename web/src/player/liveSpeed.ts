/** MEDIA-7. Settings that keep a player near its target position at the live edge. */
/** Seconds behind the target before the player speeds up. */
const SLACK = 1.5;
/** Seconds behind the target at which it returns to normal speed. */
const CLOSE = 0.3;
/** Seconds behind the target above which it seeks instead. */
export const DRIFT = 8;
/** The increased speed: too small a change to hear. */
const CATCH_UP_RATE = 1.08;

/**
 * Decides how to stay at the live edge: `behind` is the distance from the target position and `ahead` the buffer, both
 * in seconds; `rate` is the current speed.
 */
export function liveMove(behind: number, ahead: number, rate: number): { readonly rate: number } | "jump" {
  if (behind > DRIFT) return "jump";
  const hurries = rate > 1;
  // Playing faster with a small buffer causes a stall.
  if (ahead < 1) return { rate: 1 };
  return { rate: behind > (hurries ? CLOSE : SLACK) ? CATCH_UP_RATE : 1 };
}

/** Seconds buffered without a gap from the current position. */
export function aheadOf({ buffered, currentTime }: HTMLVideoElement): number {
  for (let at = 0; at < buffered.length; at += 1)
    if (buffered.start(at) <= currentTime + 0.1 && buffered.end(at) > currentTime)
      return buffered.end(at) - currentTime;
  return 0;
}
