import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest, stateHash } from "./hash";
import { canonical, plain } from "./plain";

const SEED = 20_261_121;
const json = fc.jsonValue({ maxDepth: 4 });

/** The same value with keys reversed and no shared objects. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner)]));
}

describe("a state's hash", () => {
  it("is equal for equal values, whatever the order of their keys", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(stateHash(turned(value))).toBe(stateHash(value));
        expect(stateHash(plain(value))).toBe(stateHash(value));
        expect(digest(turned(value))).toBe(digest(value));
      }),
      { seed: SEED },
    );
  });

  it("differs if the canonical text differs", () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const means = canonical(plain(one)) === canonical(plain(other));
        expect(stateHash(plain(one)) === stateHash(plain(other))).toBe(means);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it.each([
    [{ a: undefined }, {}],
    [{ a: Number.NaN }, { a: null }],
    [[undefined], [null]],
    [-0, 0],
  ])("is that of the JSON: %j as %j", (one, other) => {
    expect(stateHash(one)).toBe(stateHash(other));
  });

  it.each([
    [
      ["ab", "c"],
      ["a", "bc"],
    ],
    [[[1], [2]], [[1, 2]]],
    [{ a: { b: 1 } }, { a: { c: 1 } }],
    ["1", 1],
    [null, false],
    [[], {}],
    [{ when: new Date(0) }, { when: "1970-01-01T00:00:00.000Z" }],
  ])("distinguishes %j from %j", (one, other) => {
    expect(stateHash(one)).not.toBe(stateHash(other));
  });

  it("never changes: recorded logs are compared with it", () => {
    expect(stateHash({ at: "paid", tries: 3, price: 12.5, seen: [true, null] })).toBe("dd9513f98d2116c1");
    expect(digest({ id: 7 })).toBe("cfe07bc0");
  });
});
