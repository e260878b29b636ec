import { describe, expect, it } from "vitest";
import { createCallNames, identityOf } from "./calls";

describe("the names of calls", () => {
  it("are numbered per method and identity, from 1", () => {
    const names = createCallNames();
    expect([names.next("api.getOrder", "7"), names.next("api.getOrder", "8"), names.next("api.getOrder", "7")]).toEqual(
      ["api.getOrder:7#1", "api.getOrder:8#1", "api.getOrder:7#2"],
    );
    const open = ["api.getOrder:7#1", "api.getOrder:8#1"];
    expect(names.counters(open)).toEqual({ "api.getOrder:7": 2, "api.getOrder:8": 1 });
    expect(createCallNames(names.counters(open)).next("api.getOrder", "7")).toBe("api.getOrder:7#3");
  });

  it("of ended calls aren't in a snapshot, since an identity may be a search (LOG-4)", () => {
    const names = createCallNames();
    names.next("api.search", "typed # text");
    const open = [names.next("clock.sleep", "retry#2")];
    expect(names.counters(open)).toEqual({ "clock.sleep:retry#2": 1 });
  });

  it("are of bounded length", () => {
    expect(createCallNames().next("api.searchVod", "x".repeat(10_000)).length).toBeLessThan(200);
  });

  it("never throw into a saga, whatever its arguments", () => {
    const broken = { origin: "api", identity: ({ id }: { id: { of: string } }) => id.of } as const;
    const methods = { broken };
    expect(identityOf(methods, "broken", { id: { of: "a" } })).toBe("a");
    expect(identityOf(methods, "broken", {})).toBe("");
    expect(identityOf(methods, "unknown", {})).toBe("");
  });
});
