import { describe, expect, it } from "vitest";
import { generalPath, isInside, pathChanges, sliceOfPath } from "./pathChanges";

describe("the changes between two states", () => {
  it("are the innermost values, with their paths", () => {
    const was = {
      purchase: { at: "paid", key: "k" },
      clip: { "0195-a": { at: "draft" } },
      teams: [{ id: 1 }, { id: 2 }],
    };
    const is = {
      purchase: { at: "failed", key: "k" },
      clip: { "0195-a": { at: "queued" } },
      teams: [{ id: 1 }, { id: 3 }],
    };
    expect(pathChanges(was, is)).toEqual([
      { path: 'clip["0195-a"].at', was: "draft", is: "queued" },
      { path: "purchase.at", was: "paid", is: "failed" },
      { path: "teams[1].id", was: 2, is: 3 },
    ]);
    expect(pathChanges(was, structuredClone(was))).toEqual([]);
  });

  it("have one side only for a value that came or went, and a whole list of another length", () => {
    expect(pathChanges({ a: 1, b: [1, 2] }, { b: [2], c: null })).toEqual([
      { path: "a", was: 1 },
      { path: "b", was: [1, 2], is: [2] },
      { path: "c", is: null },
    ]);
    expect(pathChanges({}, { c: { d: 1 } })).toEqual([{ path: "c", is: { d: 1 } }]);
  });
});

it("a general path has no index and no id", () => {
  expect(generalPath('clip["a]\\"[1]"].parts[12].at')).toBe("clip[*].parts[*].at");
  expect(sliceOfPath('clip["a"].at')).toBe("clip");
});

it("a path is inside itself and the values around it", () => {
  expect(isInside("purchase.card.last", "purchase.card")).toBe(true);
  expect(isInside("purchase.card", "purchase.card")).toBe(true);
  expect(isInside("purchase.cards", "purchase.card")).toBe(false);
  expect(isInside("orders[*].id", "orders")).toBe(true);
});
