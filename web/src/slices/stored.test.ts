import { describe, expect, it } from "vitest";
import v5 from "../app/persist/samples/v5.json";
import { rootReducer } from "./index";
import { unsoundSlices } from "./stored";

const first = rootReducer(undefined, { type: "begun" });

describe("a stored state", () => {
  it("is gone on from as a page starts and as one was left", () => {
    expect(unsoundSlices({ ...first })).toEqual([]);
    expect(unsoundSlices(v5)).toEqual([]);
    expect(unsoundSlices({ ...v5, ofALaterBuild: 3 })).toEqual([]);
  });

  it.each(Object.keys(first))("is refused where its %s is torn", (slice) => {
    for (const torn of [null, "torn", 7, ...(Array.isArray(first[slice as never]) ? [{}] : [[]])])
      expect(unsoundSlices({ ...v5, [slice]: torn })).toEqual([slice]);
  });

  it.each([
    ["purchase", { at: "paid" }],
    ["purchase", {}],
    ["auth", { at: "constructor" }],
    ["clip", { k1: { at: "cut" } }],
    ["outbox", { run: { at: "idle" }, items: { k1: { kind: "favourite.add", state: { at: "lost" } } } }],
    ["outbox", { run: { at: "away" }, items: {} }],
    ["orders", { byId: [], complete: false }],
    ["events", { byId: {}, lists: {} }],
    ["network", { online: "yes" }],
  ])("is refused where its %s stands in no state: %j", (slice, torn) => {
    expect(unsoundSlices({ ...v5, [slice]: torn })).toEqual([slice]);
  });
});
