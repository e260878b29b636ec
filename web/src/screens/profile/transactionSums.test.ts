import { describe, expect, it } from "vitest";
import type { Transaction } from "../../contracts/resources";
import { groupOf, sumsOf } from "./transactionSums";

const line = (more: Partial<Transaction>): Transaction => ({
  id: "c1",
  kind: "purchase",
  status: "succeeded",
  at: "2026-11-21T18:00:00.000Z",
  order_id: 1,
  type: "event",
  product: { id: 1, name: "A game" },
  amount: 859,
  fee: 60,
  discount: 0,
  currency: "USD",
  refunded: 0,
  ...more,
});

describe("the sums of a year (ORDER-5)", () => {
  const lines = [
    line({}),
    line({ kind: "renewal", amount: 1299, fee: 100 }),
    line({ kind: "renewal", amount: 1299, fee: 100, status: "failed" }),
    line({ kind: "refund", amount: -524, fee: -36 }),
    line({ kind: "refund", amount: -100, fee: 0, status: "pending" }),
    line({ kind: "trial", amount: 0, fee: 0 }),
    line({ amount: 500, fee: 20, currency: "CAD" }),
  ];

  it("are what was charged and sent back, without what failed or is on its way, each currency for itself", () => {
    expect(sumsOf(lines)).toEqual([
      { currency: "USD", charged: 2158, sentBack: 524, fees: 124 },
      { currency: "CAD", charged: 500, sentBack: 0, fees: 20 },
    ]);
  });

  it("stand above lines of four groups", () => {
    expect(lines.map(groupOf)).toEqual(["charges", "charges", "failed", "refunds", "refunds", "free", "charges"]);
  });
});
