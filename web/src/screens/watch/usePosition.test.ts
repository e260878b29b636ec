import { expect, it } from "vitest";
import { momentOf } from "./usePosition";

it("a link names a second in minutes and hours too, and what is none is not taken", () => {
  expect(["83", "1:23", "1:06:52", "0"].map(momentOf)).toEqual([83, 83, 4_012, 0]);
  expect([null, "", "-3", "1:99", "x", "1:2:3:4", "12345678"].map(momentOf)).toEqual(Array(7).fill(null));
});
