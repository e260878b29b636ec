import { expect, test } from "vitest";
import { LOOKS, lookOf, PARTS, styleOf } from "./captionLook";

test("a kept look that names something else shows the first choice of that part", () => {
  expect(lookOf("l.yellow.none.outline")).toEqual({ size: "l", color: "yellow", background: "none", edge: "outline" });
  const first = { size: "m", color: "white", background: "shade", edge: "none" };
  for (const text of ["", "...", "huge.pink.x.y", "constructor"]) expect(lookOf(text)).toEqual(first);
  expect(lookOf("xl")).toEqual({ ...first, size: "xl" });
});

test("every choice has a style", () => {
  for (const part of PARTS)
    for (const choice of LOOKS[part]) {
      const style = styleOf({ ...lookOf(""), [part]: choice });
      expect(Object.values(style).every((value) => value !== undefined)).toBe(true);
    }
});
