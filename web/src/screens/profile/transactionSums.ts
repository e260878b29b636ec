import type { Transaction } from "../../contracts/resources";

/** Transaction types for the filter. */
export type LineGroup = "charges" | "refunds" | "failed" | "free";

/** Whether a transaction costs nothing. */
export const isFree = ({ kind }: Pick<Transaction, "kind">): boolean =>
  kind === "trial" || kind === "grant" || kind === "grant_ended";

export function groupOf({ kind, status, amount }: Transaction): LineGroup {
  if (status === "failed") return "failed";
  if (isFree({ kind })) return "free";
  return amount < 0 || kind === "refund_failed" ? "refunds" : "charges";
}

/** A transaction's year in the viewer's time zone. */
export const yearOf = ({ at }: Transaction): number => new Date(at).getFullYear();

/** A year's totals in one currency, in minor units, without failed and pending transactions. */
export interface YearSums {
  readonly currency: string;
  readonly charged: number;
  /** Above 0. */
  readonly sentBack: number;
  /** Included in the net amount. */
  readonly fees: number;
}

export function sumsOf(lines: readonly Transaction[]): YearSums[] {
  const sums = new Map<string, YearSums>();
  for (const { kind, currency, status, amount, fee } of lines) {
    const { charged, sentBack, fees } = sums.get(currency) ?? { charged: 0, sentBack: 0, fees: 0 };
    if (status !== "succeeded") continue;
    sums.set(currency, {
      currency,
      // A refund that the bank returned doesn't count.
      charged: charged + (kind === "refund_failed" ? 0 : Math.max(amount, 0)),
      sentBack: sentBack + (kind === "refund_failed" ? -amount : Math.max(-amount, 0)),
      fees: fees + fee,
    });
  }
  return [...sums.values()];
}
