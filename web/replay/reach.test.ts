import { expect, it } from "vitest";
import { cellName, cells, cellsReached } from "./testing/mutants/cells";
import { recordAll } from "./testing/recordings";

it("the recorded sessions reach nine of ten cells of the machines' tables", async () => {
  const reached = cellsReached(await recordAll());
  const missed = cells.map(cellName).filter((name) => !reached.has(name));
  expect(missed.length, missed.join("\n")).toBeLessThan(cells.length / 10);
});
