import { expect, test } from "vitest";
import { type Edit, prune, unused } from "../scripts/pruned";

test("an edit that finds nothing in any file of its library is named, the others are made (FAST-4)", () => {
  const edits: readonly Edit[] = [
    [/warn\("[^"]*"\);/g, ""],
    ["prefetch()", "null"],
    [/gone/, ""],
  ];
  const uses = new Map<Edit, number>();
  expect(prune('warn("a");go();warn("b");', edits, uses)).toBe("go();");
  expect(prune("prefetch();", edits, uses)).toBe("null;");
  expect(unused(edits, uses)).toEqual([edits[2]]);
});
