import { expect, test } from "vitest";
import { chapterAt, chapterBeside } from "./chapters";

const chapters = [
  { id: 1, name: "Tip-off", start: 5, end: 15 },
  { id: 2, name: "Steal", start: 12, end: 20 },
  { id: 3, name: "Buzzer", start: 30, end: 36 },
];

test("of chapters that overlap the later one is on; between two there is none", () => {
  const on = (time: number) => chapterAt(chapters, time)?.name;
  expect([0, 5, 13, 19.9, 20, 35].map(on)).toEqual([undefined, "Tip-off", "Steal", "Steal", undefined, "Buzzer"]);
});

test("on goes to the next beginning, back to the one before, past one that has only begun", () => {
  expect([0, 5, 12, 30].map((time) => chapterBeside(chapters, time, 1))).toEqual([5, 12, 30, undefined]);
  expect([4, 6, 13, 15, 40].map((time) => chapterBeside(chapters, time, -1))).toEqual([
    undefined,
    undefined,
    5,
    12,
    30,
  ]);
});
