import { describe, expect, it } from "vitest";
import currencies from "../../../fixtures/contracts/currencies.json";
import { formatsFor } from "./format";

const at = Date.parse("2026-11-22T02:00:00Z");
const english = formatsFor("en", "America/Chicago");
const french = formatsFor("fr-CA", "America/Toronto");
const plain = (text: string) => text.replace(/\s/g, " ");

describe("formats", () => {
  it("write minor units with the digits that the currency has", () => {
    expect(english.money(799, "USD")).toBe("$7.99");
    expect(english.money(500, "JPY")).toBe("¥500");
    expect(plain(french.money(1299, "CAD"))).toBe("12,99 $");
  });

  it("write the digits that the worker and Stripe use, not the browser's (PAY-17)", () => {
    for (const { currency, minor, amount } of currencies.cases)
      expect(english.money(minor, currency).replace(/[^\d.]/g, ""), currency).toBe(amount);
  });

  it("write times in the zone and the manner of the language", () => {
    expect(english.timeParts(at)).toEqual(["8:00", "PM"]);
    expect(french.timeParts(at)[1]).toBe("");
    expect(english.longDay(at)).toBe("Saturday, November 21");
    expect(english.zoneName(at)).toBe("Central Time");
  });

  it("count days by the calendar, not by 24 hours", () => {
    const lateTonight = Date.parse("2026-11-22T05:50:00Z");
    const earlyTomorrow = Date.parse("2026-11-22T06:10:00Z");
    expect(english.daysApart(at, lateTonight)).toBe(0);
    expect(english.daysApart(lateTonight, earlyTomorrow)).toBe(1);
    expect(english.daysApart(earlyTomorrow, at)).toBe(-1);
  });

  it("count days right over the end of summer time", () => {
    const before = Date.parse("2026-11-01T04:30:00Z");
    const after = Date.parse("2026-11-02T06:30:00Z");
    expect(english.daysApart(before, after)).toBe(2);
  });

  it("say how long until something, coarser the farther it is", () => {
    const minute = 60_000;
    expect(plain(english.until(134 * minute))).toBe("in 2 h 14 min");
    expect(plain(english.until(19 * 60 * minute))).toBe("in 19 h");
    expect(plain(english.until(72 * 60 * minute))).toBe("in 3 days");
    expect(plain(french.until(134 * minute))).toBe("dans 2 h 14 min");
    expect(plain(english.until(0))).toBe("in 1 min");
  });

  it("say how long ago something was", () => {
    const hour = 3_600_000;
    // The worker's first screen has the same texts (`touchline/src/site/texts.rs`).
    for (const [ms, inEnglish, inFrench] of [
      [59_000, "just now", "à l’instant"],
      [60_000, "1 min ago", "il y a 1 min"],
      [90_000, "2 min ago", "il y a 2 min"],
      [hour, "1 h ago", "il y a 1 h"],
      [(hour / 60) * 134, "2 h 14 min ago", "il y a 2 h 14 min"],
      [19.5 * hour, "20 h ago", "il y a 20 h"],
      [72 * hour, "3 days ago", "il y a 3 jours"],
    ] as const) {
      expect(plain(english.relative(at, at - ms))).toBe(inEnglish);
      expect(plain(french.relative(at, at - ms))).toBe(inFrench);
    }
    expect(plain(english.relative(at, at + 72 * hour))).toBe("in 3 days");
  });

  it("write lengths of video as players do", () => {
    expect(english.duration(6440)).toBe("1:47:20");
    expect(english.duration(522)).toBe("8:42");
    expect(english.duration(-3)).toBe("0:00");
  });
});
