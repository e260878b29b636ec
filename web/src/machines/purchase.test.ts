import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { step } from "./machine";
import { type Purchase, purchase } from "./purchase";
import * as facts from "./testing/facts";
import { type AnySamples, cellOf } from "./testing/walks";

describe("a purchase, whatever happens", () => {
  const moves = fc.array(
    fc.constantFrom(
      ...Object.entries(facts.purchaseFacts as AnySamples).flatMap(([fact, payloads]) =>
        payloads.map((payload) => ({ fact, payload })),
      ),
    ),
    { maxLength: 40 },
  );
  const follow = (check: (before: Purchase, fact: string, after: Purchase) => void) =>
    fc.assert(
      fc.property(moves, (walk) => {
        let state: Purchase = purchase.initial;
        for (const { fact, payload } of walk) {
          if (cellOf(purchase as never, state.at, fact) === undefined) continue;
          const next: Purchase = step(purchase, state, fact as never, payload as never);
          check(state, fact, next);
          state = next;
        }
      }),
      { numRuns: 2_000, seed: 4 },
    );

  it("keeps its key, its buyer, its request and its order until it ends", () => {
    follow((before, fact, after) => {
      if (!("key" in before && "key" in after)) return;
      expect(after.key).toBe(before.key);
      expect(after.user_id).toBe(before.user_id);
      if (fact !== "cardHeld") expect(after.request).toBe(before.request);
      if ("orderId" in before && before.orderId !== null && "orderId" in after)
        expect(after.orderId).toBe(before.orderId);
    });
  });

  it("never takes an order back to an older version", () => {
    follow((before, _, after) => {
      if ("version" in before && "version" in after) expect(after.version).toBeGreaterThanOrEqual(before.version);
    });
  });

  it("leaves an end only for a new purchase", () => {
    follow((before, fact, after) => {
      if (before.at !== "succeeded" && before.at !== "failed") return;
      if (after.at !== before.at) expect(["opened", "submitted", "refused"]).toContain(fact);
    });
  });

  it("succeeds by its own paid order alone", () => {
    follow((before, fact, after) => {
      if (after.at !== "succeeded" || before.at === "succeeded") return;
      expect(fact).toBe("orderSeen");
      expect(before).toHaveProperty("orderId", after.orderId);
    });
  });

  it("puts the bank's question once per confirmed order", () => {
    follow((before, _, after) => {
      if ("confirmed" in before && before.confirmed && "confirmed" in after) expect(after.confirmed).toBe(true);
    });
  });
});

const request = { kind: "package", id: 6, payment_method_id: "pm" } as const;
const ends: readonly (readonly [number | null, Purchase])[] = [
  [55, { at: "succeeded", orderId: 55, request }],
  [55, { at: "failed", orderId: 55, request, message: "declined", popup: true }],
  [null, { at: "rejected", request, code: "interrupted", message: "cut off" }],
];
it.each(ends)("records that its result was shown, and no other's: %s, %o", (order_id, end) => {
  expect(step(purchase, end, "resultShown", { order_id: 54 })).toBe(end);
  const displayed = step(purchase, end, "resultShown", { order_id });
  expect(displayed).toEqual({ ...end, shown: true });
  expect(step(purchase, displayed, "resultShown", { order_id })).toBe(displayed);
});

it("has nothing to show for a refusal without a request", () => {
  const refused: Purchase = { at: "rejected", code: "validation", message: "id not selected" };
  expect(step(purchase, refused, "resultShown", { order_id: null })).toBe(refused);
});

it("is another one for another team, and the same one if two pages were pressed at once (PAY-9)", () => {
  const request = { kind: "package", id: 6, participant_id: 101, payment_method_id: "pm" } as const;
  const paid: Purchase = { at: "succeeded", orderId: 55, request };
  const again = (participant_id: number): Purchase =>
    step(purchase, paid, "submitted", { key: "k2", request: { ...request, participant_id } });
  expect(again(101)).toBe(paid);
  expect(again(102)).toMatchObject({ at: "submitting", request: { participant_id: 102 } });
});
