import { describe, expect, it } from "vitest";
import v1 from "../session/persist/samples/v1.json";
import { rootReducer } from "./index";
import { invalidSlices } from "./stored";

const first = rootReducer(undefined, { type: "begun" });

describe("a stored state", () => {
  it("is used as a page starts and as one was left", () => {
    expect(invalidSlices({ ...first })).toEqual([]);
    expect(invalidSlices(v1)).toEqual([]);
    expect(invalidSlices({ ...v1, ofALaterBuild: 3 })).toEqual([]);
  });

  it.each(Object.keys(first))("is rejected if its %s is damaged", (slice) => {
    for (const torn of [null, "torn", 7, ...(Array.isArray(first[slice as never]) ? [{}] : [[]])])
      expect(invalidSlices({ ...v1, [slice]: torn })).toEqual([slice]);
  });

  it.each([
    ["purchase", { at: "paid" }],
    ["purchase", {}],
    ["auth", { at: "constructor" }],
    ["clip", { k1: { at: "cut" } }],
    [
      "outbox",
      { run: { at: "idle" }, items: { k1: { kind: "favourite.add", state: { at: "lost" } } }, ended: [], endedAt: 0 },
    ],
    ["outbox", { run: { at: "away" }, items: {}, ended: [], endedAt: 0 }],
    ["outbox", { run: { at: "idle" }, items: {}, endedAt: 0 }],
    ["outbox", { run: { at: "idle" }, items: {}, ended: [] }],
    ["orders", { byId: [], complete: false }],
    ["events", { byId: {}, lists: {} }],
    ["network", { online: "yes" }],
  ])("is rejected if its %s is in an unknown state: %j", (slice, torn) => {
    expect(invalidSlices({ ...v1, [slice]: torn })).toEqual([slice]);
  });
});
