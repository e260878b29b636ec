import { expect, it } from "vitest";
import { DRIFT, liveMove } from "./liveSpeed";

it("a player that fell behind at the live edge hurries until it is there, and no longer", () => {
  expect(liveMove(1, 6, 1)).toEqual({ rate: 1 });
  const hurried = liveMove(4, 6, 1);
  expect(hurried).toEqual({ rate: expect.closeTo(1.08) });
  expect(liveMove(1, 6, 1.08)).toEqual({ rate: expect.closeTo(1.08) });
  expect(liveMove(0.2, 6, 1.08)).toEqual({ rate: 1 });
});

it("does not hurry into the next stall", () => {
  expect(liveMove(4, 0.5, 1.08)).toEqual({ rate: 1 });
});

it("jumps once it is too far behind: its drift is bounded", () => {
  expect(liveMove(DRIFT + 0.1, 20, 1)).toBe("jump");
});
