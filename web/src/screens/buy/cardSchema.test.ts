import { describe, expect, it } from "vitest";
import { cardSchema, expiryOf, grouped, groupedExpiry, passesLuhn, storedCard } from "./cardSchema";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const schema = cardSchema(() => NOW);
const card = { number: "4242 4242 4242 4242", exp: "08 / 28", cvc: "123" };
const faults = (values: typeof card) => schema.safeParse(values).error?.issues.map(({ message }) => message) ?? [];

describe("a new card", () => {
  it("is accepted whole", () => {
    expect(faults(card)).toEqual([]);
  });

  it("is refused with one digit changed", () => {
    expect(passesLuhn("4242424242424242")).toBe(true);
    expect(faults({ ...card, number: "4242 4242 4242 4241" })).toEqual(["validation.cardNumber"]);
    expect(faults({ ...card, number: "0" })).toEqual(["validation.cardNumber"]);
  });

  it("pays until its last month is over", () => {
    expect(faults({ ...card, exp: "11/26" })).toEqual([]);
    expect(faults({ ...card, exp: "10/26" })).toEqual(["validation.cardExpiry"]);
    expect(faults({ ...card, exp: "13/28" })).toEqual(["validation.cardExpiry"]);
  });

  it("reads years of two and of four digits", () => {
    expect(expiryOf("8/2028")).toEqual({ month: 8, year: 2028 });
    expect(expiryOf("08 / 28")).toEqual({ month: 8, year: 2028 });
    expect(expiryOf("")).toBeNull();
  });

  it("is held as digits alone", () => {
    expect(storedCard(card)).toEqual({ number: "4242424242424242", exp: "08/28", cvc: "123" });
  });

  it("is grouped while it is typed", () => {
    expect(grouped("42424242424")).toBe("4242 4242 424");
    expect(groupedExpiry("08", "0")).toBe("08 / ");
    expect(groupedExpiry("08 /", "08 / ")).toBe("08 /");
  });
});
