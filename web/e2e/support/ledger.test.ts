import { resolve } from "node:path";
import type { FullResult, Suite } from "@playwright/test/reporter";
import { describe, expect, it, vi } from "vitest";
import { type Entry, faultsOf, nameOf, readHistory, readLedger, statusOf } from "./ledger";
import LedgerReporter from "./ledgerReporter";

const entry = (journey: string, since = "2026-11-28"): Entry => ({ journey, cause: "the lock comes late", since });
const day = (text: string): Date => new Date(`${text}T12:00:00Z`);

describe("a ledger of unstable journeys", () => {
  it("may list two journeys with a cause and a date", () => {
    expect(faultsOf([entry("a"), entry("b")], [], day("2026-12-01"))).toEqual([]);
  });

  it("is refused with three", () => {
    expect(faultsOf([entry("a"), entry("b"), entry("c")], [], day("2026-12-01"))).toEqual([
      "3 journeys are listed; the limit is 2",
    ]);
  });

  it("is refused from the fifteenth day of an entry on", () => {
    expect(faultsOf([entry("a")], [], day("2026-12-11"))).toEqual([]);
    expect(faultsOf([entry("a")], [], day("2026-12-12"))).toEqual(["a: it expired 14 days after 2026-11-28"]);
  });

  it("is refused if an entry's date differs from its first one, also after a removal", () => {
    const history = [entry("b"), entry("a", "2026-11-10")];
    expect(faultsOf([entry("a")], history, day("2026-11-29"))).toEqual([
      "a: it was first listed on 2026-11-10 and cannot be renewed",
    ]);
    expect(faultsOf([entry("b")], history, day("2026-11-29"))).toEqual([]);
  });

  it.each([
    [{ ...entry("a"), cause: " " }, "a: an entry names its journey and its cause"],
    [entry("a", "soon"), "a: its date is not a date"],
    [entry("a", "2027-01-01"), "a: its date is in the future"],
  ])("is refused with %o", (wrong, fault) => {
    expect(faultsOf([wrong], [], day("2026-12-01"))).toEqual([fault]);
  });

  it("is refused if it lists a journey twice", () => {
    expect(faultsOf([entry("a"), entry("a")], [], day("2026-12-01"))).toEqual(["a journey is listed twice"]);
  });

  it("is valid as committed", () => {
    expect(faultsOf(readLedger(), readHistory(), new Date())).toEqual([]);
  });
});

describe("the status of a run", () => {
  const listed = [entry("a")];
  it.each([
    ["a listed failure alone", "failed", ["a"], [], true, "passed"],
    ["another failure beside it", "failed", ["a", "b"], [], true, "failed"],
    ["a failure without a journey", "failed", [], [], true, "failed"],
    ["an error outside the journeys", "failed", ["a"], [], false, "failed"],
    ["an interrupted run", "interrupted", ["a"], [], true, "interrupted"],
    ["a faulty ledger", "passed", [], ["a: it expired"], true, "failed"],
    ["a faulty ledger and a listed failure", "failed", ["a"], ["a: it expired"], true, "failed"],
  ] as const)("with %s", (_, status, failures, faults, isWhole, expected) => {
    expect(statusOf(status, failures, listed, faults, isWhole)).toBe(expected);
  });
});

it("a journey's name consists of its file and its titles, and its error is repeated at the end", async () => {
  expect(nameOf("/x/web/e2e/tabs/leader.spec.ts", ["a group", "a journey"])).toBe(
    "tabs/leader.spec.ts: a group › a journey",
  );
  const reporter = new LedgerReporter();
  const failed = {
    location: { file: "/x/web/e2e/tabs/leader.spec.ts" },
    titlePath: () => ["", "folder", "tabs/leader.spec.ts", "a journey"],
    outcome: () => "unexpected",
    results: [{ error: { message: "\u001b[31mno video\u001b[0m", location: { file: resolve("e2e/x.ts"), line: 7 } } }],
  };
  const print = vi.spyOn(console, "log").mockReturnValue();
  reporter.onBegin({}, { allTests: () => [failed] } as unknown as Suite);
  expect(await reporter.onEnd({ status: "failed" } as FullResult)).toEqual({ status: "failed" });
  expect(print.mock.lastCall).toEqual(["failed: tabs/leader.spec.ts: a journey\n  e2e/x.ts:7: no video"]);
  print.mockRestore();
});
