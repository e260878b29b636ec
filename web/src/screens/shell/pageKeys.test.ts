import { describe, expect, it } from "vitest";
import { distance } from "./pageKeys";

const box = (left: number, top: number) => ({ left, top, right: left + 100, bottom: top + 50 });

describe("arrows of a television's remote (WIDE-2)", () => {
  it("go to what lies that way, and rather straight than aside", () => {
    const here = box(200, 200);
    expect(distance(here, box(320, 200), "ArrowRight")).toBe(20);
    expect(distance(here, box(320, 200), "ArrowLeft")).toBe(Number.POSITIVE_INFINITY);
    expect(distance(here, box(200, 260), "ArrowDown")).toBe(10);
    expect(distance(here, box(320, 260), "ArrowDown")).toBeGreaterThan(distance(here, box(200, 290), "ArrowDown"));
    expect(distance(here, box(200, 100), "ArrowUp")).toBe(50);
    expect(distance(here, box(202, 201), "ArrowDown")).toBe(Number.POSITIVE_INFINITY);
  });
});
