import type { Transaction } from "../../contracts/resources";

/** What a line is, for a viewer who looks for one. */
export type LineGroup = "charges" | "refunds" | "failed" | "free";

export function groupOf({ kind, status, amount }: Transaction): LineGroup {
  if (status === "failed") return "failed";
  if (kind === "trial" || kind === "grant") return "free";
  return amount < 0 ? "refunds" : "charges";
}

/** The year of a line where the viewer is. */
export const yearOf = ({ at }: Transaction): number => new Date(at).getFullYear();

/** What a year comes to in one currency, minor units. What failed, and what is on its way, counts in none of it. */
export interface YearSums {
  readonly currency: string;
  readonly charged: number;
  /** Above 0. */
  readonly sentBack: number;
  /** Within what was paid in all. */
  readonly fees: number;
}

export function sumsOf(lines: readonly Transaction[]): YearSums[] {
  const sums = new Map<string, YearSums>();
  for (const { currency, status, amount, fee } of lines) {
    const { charged, sentBack, fees } = sums.get(currency) ?? { charged: 0, sentBack: 0, fees: 0 };
    if (status !== "succeeded") continue;
    sums.set(currency, {
      currency,
      charged: charged + Math.max(amount, 0),
      sentBack: sentBack + Math.max(-amount, 0),
      fees: fees + fee,
    });
  }
  return [...sums.values()];
}
