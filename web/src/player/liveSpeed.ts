/** MEDIA-7. How a player at the live edge stays near where it aims. */
/** Seconds that a player at the live edge may be behind where it wants to be before it catches up. */
const SLACK = 1.5;
/** Seconds of that which are left once it has caught up. */
const CLOSE = 0.3;
/** Farther than this it jumps, seconds: nobody sits through minutes of hurry. */
export const DRIFT = 8;
/** How much faster it plays meanwhile: less than an ear hears. */
const HURRY = 1.08;

/**
 * What keeps a live stream live for a viewer at its edge: `behind` is how far behind the position that the player aims
 * at, seconds; `ahead` how much is loaded; `rate` how fast it plays now.
 */
export function liveMove(behind: number, ahead: number, rate: number): { readonly rate: number } | "jump" {
  if (behind > DRIFT) return "jump";
  const hurries = rate > 1;
  // Who hurries with little in hand stalls again.
  if (ahead < 1) return { rate: 1 };
  return { rate: behind > (hurries ? CLOSE : SLACK) ? HURRY : 1 };
}

/** How much is loaded in one piece from where an element stands, seconds. */
export function aheadOf({ buffered, currentTime }: HTMLVideoElement): number {
  for (let at = 0; at < buffered.length; at += 1)
    if (buffered.start(at) <= currentTime + 0.1 && buffered.end(at) > currentTime)
      return buffered.end(at) - currentTime;
  return 0;
}
