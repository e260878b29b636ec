import { describe, expect, it } from "vitest";
import { aTransaction } from "../../sagas/testing/resources";
import { groupOf, sumsOf } from "./transactionSums";

describe("the sums of a year (ORDER-5)", () => {
  const lines = [
    aTransaction({}),
    aTransaction({ kind: "renewal", amount: 1299, fee: 100 }),
    aTransaction({ kind: "renewal", amount: 1299, fee: 100, status: "failed" }),
    aTransaction({ kind: "refund", amount: -524, fee: -36 }),
    aTransaction({ kind: "refund", amount: -100, fee: 0, status: "pending" }),
    aTransaction({ kind: "trial", amount: 0, fee: 0 }),
    aTransaction({ amount: 500, fee: 20, currency: "CAD" }),
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
