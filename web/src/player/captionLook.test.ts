import { expect, test } from "vitest";
import { LOOKS, lookOf, PARTS, styleOf, turned } from "./captionLook";

test("a kept look that names something else shows the first choice of that part", () => {
  const look = { size: "l", color: "yellow", background: "none", edge: "outline", opacity: "full" };
  expect(lookOf("l.yellow.none.outline")).toEqual(look);
  const first = { size: "m", color: "white", background: "shade", edge: "none", opacity: "full" };
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

test("a key turns a part to its next choice, and a size no farther than there is one", () => {
  expect(turned(lookOf("m.white.solid"), "background", 1)).toBe("shade");
  expect(turned(lookOf(""), "opacity", 1)).toBe("most");
  expect([turned(lookOf("s"), "size", -1), turned(lookOf("s"), "size", 1)]).toEqual(["s", "m"]);
  expect([turned(lookOf("l"), "size", 1), turned(lookOf("xl"), "size", 1)]).toEqual(["xl", "xl"]);
});
