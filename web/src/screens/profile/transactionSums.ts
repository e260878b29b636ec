import type { Transaction } from "../../contracts/resources";

/** What a line is, for a viewer who looks for one. */
export type LineGroup = "charges" | "refunds" | "failed" | "free";

/** Whether no money was asked for. */
export const isFree = ({ kind }: Pick<Transaction, "kind">): boolean =>
  kind === "trial" || kind === "grant" || kind === "grant_ended";

export function groupOf({ kind, status, amount }: Transaction): LineGroup {
  if (status === "failed") return "failed";
  if (isFree({ kind })) return "free";
  return amount < 0 || kind === "refund_failed" ? "refunds" : "charges";
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
  for (const { kind, currency, status, amount, fee } of lines) {
    const { charged, sentBack, fees } = sums.get(currency) ?? { charged: 0, sentBack: 0, fees: 0 };
    if (status !== "succeeded") continue;
    sums.set(currency, {
      currency,
      // A refund that the bank returned was not sent back.
      charged: charged + (kind === "refund_failed" ? 0 : Math.max(amount, 0)),
      sentBack: sentBack + (kind === "refund_failed" ? -amount : Math.max(-amount, 0)),
      fees: fees + fee,
    });
  }
  return [...sums.values()];
}
