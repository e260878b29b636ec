import { describe, expect, it } from "vitest";
import { backoffCeiling, fullJitter } from "./backoff";

const bounds = { base: 1_000, cap: 30_000 };

describe("a backoff", () => {
  it("doubles its ceiling up to the cap, and stays there", () => {
    expect([0, 1, 2, 4, 5, 1_000].map((attempt) => backoffCeiling(attempt, bounds))).toEqual([
      1_000, 2_000, 4_000, 16_000, 30_000, 30_000,
    ]);
  });

  it("waits anything from nothing to less than the ceiling", () => {
    expect(fullJitter(3, bounds, 0)).toBe(0);
    expect(fullJitter(3, bounds, 0.5)).toBe(4_000);
    expect(fullJitter(3, bounds, 0.999999)).toBe(7_999);
  });
});
