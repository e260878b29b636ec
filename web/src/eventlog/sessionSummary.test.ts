import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SUMMARY_LIMITS, summaryOf } from "./sessionSummary";

const HEADER = { format: "touchline-log", v: 2, build: "0.1.0+abc", channel: "northfield", locale: "fr" };

const action = (type: string, payload: unknown = null) => ({ kind: "action", origin: "saga", type, payload });
const answer = (payload: object, origin = "api") => ({ kind: "effect", origin, type: "api.buy", payload });
const summarised = (...lines: readonly object[]) =>
  summaryOf([HEADER, ...lines].map((line) => JSON.stringify(line)).join("\n"));
const outcomes = (...lines: readonly object[]) => summarised(...lines)?.outcomes;

describe("the summary of a session (LOG-5)", () => {
  it("has the build, the language and the longest wait", () => {
    const lines = [answer({ ok: 1, took: 40 }), answer({ err: { code: "timeout" }, took: 30_000 }), answer({ ok: 2 })];
    expect(summarised(...lines)).toEqual({
      build: "0.1.0+abc",
      language: "fr",
      outcomes: [{ kind: "error", code: "timeout", count: 1 }],
      longest_wait_ms: 30_000,
    });
  });

  it("counts refusals and errors by their code", () => {
    const throttled = answer({ err: { code: "throttled", status: 429 } });
    expect(outcomes(throttled, throttled, answer({ err: { code: "internal", status: 500 } }))).toEqual([
      { kind: "refused", code: "throttled", count: 2 },
      { kind: "error", code: "internal", count: 1 },
    ]);
    expect(outcomes(answer({ err: { code: "gone" } }, "storage"))).toEqual([]);
  });

  it("counts a refusal of the channel once, and each of the site", () => {
    const sold = answer({ err: { code: "already_bought", status: 422 } });
    const refused = action("purchase/refused", { key: "k", code: "already_bought", message: "…" });
    expect(outcomes(sold, refused)).toEqual([{ kind: "refused", code: "already_bought", count: 1 }]);
    expect(outcomes(refused, refused)).toEqual([{ kind: "refused", code: "already_bought", count: 2 }]);
    expect(outcomes(action("form/refused", { key: "login", refusal: { code: "invalid", message: "…" } }))).toEqual([
      { kind: "refused", code: "invalid", count: 1 },
    ]);
  });

  it("counts each failed purchase once, and no paid one", () => {
    const seen = (key: string, status: string) => action("purchase/orderSeen", { key, status });
    const refused = action("purchase/confirmationRefused", { key: "one", message: "…" });
    expect(outcomes(seen("one", "created"), refused, seen("one", "failed"), seen("two", "failed"))).toEqual([
      { kind: "purchase_failed", count: 2 },
    ]);
    expect(outcomes(seen("one", "paid"))).toEqual([]);
  });

  it("names interruptions, crashes and error screens", () => {
    const crashed = { kind: "checkpoint", origin: "saga", type: "crashed", payload: {} };
    const lines = [action("purchase/interrupted", { key: "k" }), crashed, action("supervisor/sagaCrashed", {})];
    expect(outcomes(...lines, action("errorScreen/raised", { status: 500 }))).toEqual([
      { kind: "purchase_interrupted", count: 1 },
      { kind: "crash", count: 2 },
      { kind: "error_screen", count: 1 },
    ]);
  });

  it("keeps to the worker's limits", () => {
    const codes = Array.from({ length: 60 }, (_, n) => answer({ err: { code: `${n}`.repeat(200), status: 400 } }));
    const found = outcomes(...codes, ...codes) ?? [];
    expect(found.length).toBe(SUMMARY_LIMITS.outcomes);
    expect(found.every(({ code, count }) => code?.length === SUMMARY_LIMITS.text && count === 2)).toBe(true);
  });

  it("has neither control characters nor halves of characters, which the worker refuses", () => {
    const code = `a\u0000${"\u{1f3c0}".repeat(SUMMARY_LIMITS.text)}`;
    const expected = `a${"\u{1f3c0}".repeat(SUMMARY_LIMITS.text - 1)}`;
    expect(outcomes(answer({ err: { code, status: 400 } }))).toEqual([{ kind: "refused", code: expected, count: 1 }]);
  });

  it("passes over lines that another build wrote otherwise", () => {
    const odd = [
      action("purchase/orderSeen"),
      action("purchase/refused"),
      answer([{ err: null }]),
      answer({ err: null }),
    ];
    expect(outcomes(...odd, answer({ err: { code: "gone", status: 410 } }))).toEqual([
      { kind: "refused", code: "gone", count: 1 },
    ]);
  });

  it("is absent without a header, and passes over a line that was cut off", () => {
    expect(summaryOf("")).toBeUndefined();
    expect(summaryOf("{}")).toBeUndefined();
    expect(summaryOf(`${JSON.stringify(HEADER)}\n{"kind":"checkpoint","type":"crashed","pay`)?.outcomes).toEqual([]);
  });

  it("is that of the recorded sessions", () => {
    const recorded = (name: string) =>
      summaryOf(readFileSync(join(import.meta.dirname, "../../../fixtures/logs", `${name}.jsonl`), "utf8"));
    expect(recorded("purchase-declined")?.outcomes).toContainEqual({ kind: "purchase_failed", count: 1 });
    expect(recorded("purchase-paid")?.outcomes).not.toContainEqual(
      expect.objectContaining({ kind: "purchase_failed" }),
    );
  });
});
