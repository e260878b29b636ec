import type { Preroll } from "../contracts/resources";
import type { PrerollTarget } from "./preroll";

/**
 * PRE-2: the spots that fit what is about to be watched. `inside` tells whether the event's category is one of these
 * or below one of them.
 */
export function fitting(
  prerolls: readonly Preroll[],
  target: PrerollTarget,
  inside: (categories: readonly number[]) => boolean,
): Preroll[] {
  return prerolls.filter(
    (spot) =>
      (target.media === "live" ? spot.for_live : spot.for_vod) &&
      (spot.location_id === undefined || spot.location_id === target.location_id) &&
      (spot.event_categories.length === 0 || inside(spot.event_categories)),
  );
}

/** Draws by weight; `drawn` is a number of [0, 1). null where nothing weighs anything. */
export function drawByWeight<T extends { readonly weight: number }>(items: readonly T[], drawn: number): T | null {
  const heavy = items.filter(({ weight }) => weight > 0);
  let left = drawn * heavy.reduce((sum, { weight }) => sum + weight, 0);
  for (const item of heavy) {
    left -= item.weight;
    if (left < 0) return item;
  }
  // Rounding may leave a last crumb.
  return heavy.at(-1) ?? null;
}
