import { describe, expect, it } from "vitest";
import { countByDay, dayNamed, dayOf, daysLater, startOf } from "./dates";

describe("days of the schedule (LIST-6)", () => {
  it("begin at the viewer's midnight, and go over months, years and changes of the clock", () => {
    expect(dayOf(startOf("2026-11-21"))).toBe("2026-11-21");
    expect(dayOf(startOf("2026-11-21") - 1)).toBe("2026-11-20");
    expect(daysLater("2026-12-30", 3)).toBe("2027-01-02");
    expect(daysLater("2026-03-01", -1)).toBe("2026-02-28");
    for (const day of ["2026-03-08", "2026-11-01"]) expect(daysLater(daysLater(day, 1), -1)).toBe(day);
  });

  it("are named by an address as a date that there is", () => {
    expect(dayNamed("2026-11-21")).toBe("2026-11-21");
    for (const text of [null, "", "2026-13-01", "2026-02-30", "21.11.2026", "2026-1-1"])
      expect(dayNamed(text)).toBeNull();
  });

  it("count what starts on them", () => {
    const at = startOf("2026-11-21") / 1_000;
    expect([...countByDay([at, at + 60, at + 90_000])]).toEqual([
      ["2026-11-21", 2],
      ["2026-11-22", 1],
    ]);
  });
});
