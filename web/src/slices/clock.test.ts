import { describe, expect, it } from "vitest";
import { offsetAfter } from "./clock";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The reading of an answer after `trip` ms, where the channel's clock leads by `offset`. */
const reading = (offset: number, trip = 100) => ({ min: offset - trip - 500, max: offset + 500 });

describe("the channel's clock (START-8)", () => {
  it.each([3 * HOUR, -DAY, 400 * DAY, -400 * DAY, 5_000])("an offset of %d ms is found, and lost again", (offset) => {
    const found = offsetAfter(0, reading(offset));
    expect(Math.abs(found - offset)).toBeLessThan(1_000);
    expect(offsetAfter(found, reading(offset))).toBe(found);
    expect(offsetAfter(found, reading(0))).toBe(0);
  });

  it("a clock that is right, or slightly wrong, is never corrected", () => {
    for (const offset of [0, 900, -900, 1_900, -1_900]) expect(offsetAfter(0, reading(offset, 0))).toBe(0);
  });

  it("a slow answer corrects nothing that it allows", () => {
    expect(offsetAfter(0, reading(0, 30_000))).toBe(0);
    expect(offsetAfter(3 * HOUR, reading(3 * HOUR, 30_000))).toBe(3 * HOUR);
  });
});
