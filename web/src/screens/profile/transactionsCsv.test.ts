import { describe, expect, it } from "vitest";
import type { Transaction } from "../../contracts/resources";
import { aTransaction } from "../../sagas/testing/resources";
import { transactionsCsv } from "./transactionsCsv";

const NAMES = ["date", "what", "kind", "card", "state", "amount", "fee", "total", "currency", "receipt"] as const;
const HEADINGS = Object.fromEntries(NAMES.map((name) => [name, name])) as Record<(typeof NAMES)[number], string>;
const csv = (...lines: Transaction[]) =>
  transactionsCsv(lines, HEADINGS, ({ kind, status }) => ({ kind, card: "Visa", state: status }))
    .slice(1)
    .split("\r\n");

describe("transactions as a spreadsheet reads them (ORDER-5)", () => {
  it("have a heading, a day, and amounts with a point that add up to what was paid", () => {
    const [head, ...rows] = csv(
      aTransaction({ receipt: "2026-000001" }),
      aTransaction({ kind: "refund", amount: -524, fee: -36 }),
      aTransaction({ kind: "renewal", status: "failed", amount: 1299, fee: 100 }),
      aTransaction({ currency: "JPY", amount: 900, fee: 0 }),
      aTransaction({ currency: "HUF", amount: 500000, fee: 0 }),
    );
    expect(head).toBe(NAMES.join(","));
    expect(rows).toEqual([
      "2026-11-21,A game,purchase,Visa,succeeded,7.99,0.60,8.59,USD,2026-000001",
      "2026-11-21,A game,refund,Visa,succeeded,-4.88,-0.36,-5.24,USD,",
      "2026-11-21,A game,renewal,Visa,failed,0.00,0.00,0.00,USD,",
      "2026-11-21,A game,purchase,Visa,succeeded,900,0,900,JPY,",
      "2026-11-21,A game,purchase,Visa,succeeded,5000.00,0.00,5000.00,HUF,",
      "",
    ]);
  });

  it("keep a name's commas and quotes, and make no formula of it", () => {
    expect(csv(aTransaction({ product: { id: 1, name: 'Easton, "the" final' } }))[1]).toContain(
      '"Easton, ""the"" final"',
    );
    expect(csv(aTransaction({ product: { id: 1, name: "=1+1" } }))[1]).toContain(",'=1+1,");
  });
});
