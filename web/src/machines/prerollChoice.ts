import type { Preroll } from "../contracts/resources";
import type { PrerollTarget } from "./preroll";

/**
 * The prerolls that match a target (PRE-2). `inside` returns whether the event's category equals or descends from one of
 * the given ones.
 */
export function matchingPrerolls(
  prerolls: readonly Preroll[],
  target: PrerollTarget,
  inside: (categories: readonly number[]) => boolean,
): Preroll[] {
  return prerolls.filter(
    (preroll) =>
      (target.media === "live" ? preroll.for_live : preroll.for_vod) &&
      (preroll.location_id === undefined || preroll.location_id === target.location_id) &&
      (preroll.event_categories.length === 0 || inside(preroll.event_categories)),
  );
}

/** Draws by weight; `drawn` is in [0, 1). Returns null if all weights are 0. */
export function drawByWeight<T extends { readonly weight: number }>(items: readonly T[], drawn: number): T | null {
  const weighted = items.filter(({ weight }) => weight > 0);
  let remaining = drawn * weighted.reduce((sum, { weight }) => sum + weight, 0);
  for (const item of weighted) {
    remaining -= item.weight;
    if (remaining < 0) return item;
  }
  // Rounding may leave a remainder.
  return weighted.at(-1) ?? null;
}
