import type { Preroll } from "../contracts/resources";
import type { PrerollTarget } from "./preroll";

/**
 * The prerolls that match a target (PRE-2). `inside` tells whether the event's category equals or descends from one of
 * the given ones.
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

/** Draws by weight; `drawn` is in [0, 1). Returns null if all weights are 0. */
export function drawByWeight<T extends { readonly weight: number }>(items: readonly T[], drawn: number): T | null {
  const heavy = items.filter(({ weight }) => weight > 0);
  let remaining = drawn * heavy.reduce((sum, { weight }) => sum + weight, 0);
  for (const item of heavy) {
    remaining -= item.weight;
    if (remaining < 0) return item;
  }
  // Rounding may leave a remainder.
  return heavy.at(-1) ?? null;
}
