import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plain, plainInParts } from "./plain";

const SEED = 20_261_121;

const roundTrip = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

/** Plain JSON mixed with values that JSON would change. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom<unknown>(-0, Number.NaN, Number.POSITIVE_INFINITY, undefined, new Date(0), () => 1, Symbol("s")),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 3 }), fc.constant("__proto__")), tie("value"), { maxKeys: 4 }),
  ),
})).value;

describe("the plain JSON of a value", () => {
  it("equals its parsed JSON text, whatever the value is", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const [given, expected] = [plain(value), roundTrip(value ?? null)];
        expect(given).toStrictEqual(expected);
        expect(JSON.stringify(given)).toBe(JSON.stringify(expected));
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  it("is the same in steps, in many steps if it is big", () => {
    const inParts = (value: unknown): { steps: number; copy: unknown } => {
      const copying = plainInParts(value);
      for (let steps = 0; ; steps++) {
        const { done, value: copy } = copying.next();
        if (done) return { steps, copy };
      }
    };
    fc.assert(
      fc.property(anything, (value) => {
        const big = [
          Array.from({ length: 300 }, () => 1),
          value,
          { value, more: Array.from({ length: 300 }, () => [1]) },
        ];
        expect(inParts(big).copy).toStrictEqual(roundTrip(big));
        expect(inParts(value).copy).toStrictEqual(roundTrip(value ?? null));
      }),
      { seed: SEED, numRuns: 100 },
    );
    expect(inParts({ one: [1, 2] }).steps).toBe(1);
    expect(inParts(Array.from({ length: 300 }, (_, n) => ({ n }))).steps).toBe(301);
  });

  it("is a copy: later changes of the original don't reach the log", () => {
    const value = { list: [{ n: 1 }], record: { n: 1 } };
    const copy = plain(value);
    value.list[0] = { n: 2 };
    value.record.n = 2;
    expect(copy).toEqual({ list: [{ n: 1 }], record: { n: 1 } });
  });

  it("uses a value's own toJSON", () => {
    class Money {
      toJSON = () => "8.59 USD";
    }
    const bare: unknown = Object.assign(Object.create(null), { n: 1 });
    expect(plain({ price: new Money(), bare })).toStrictEqual({ price: "8.59 USD", bare: { n: 1 } });
    // A list with a hole at index 1.
    const holed: unknown[] = [1];
    holed[2] = 2;
    expect(plain(holed)).toStrictEqual([1, null, 2]);
  });
});
