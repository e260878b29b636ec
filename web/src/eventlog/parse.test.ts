import { describe, expect, it } from "vitest";
import { parseLine, parseLog, UnreadableLog } from "./parse";

const header = {
  format: "touchline-log",
  v: 1,
  build: "b",
  channel: "c",
  locale: "fr",
  started_at: 1,
  snapshot: null,
};
const line = { seq: 1, at: 2, mono: 3, kind: "action", origin: "ui", type: "t", type_version: 1, payload: null };
const text = (...records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** What is said of a log that cannot be read. */
function complaint(log: string): string {
  try {
    parseLog(log);
  } catch (error) {
    if (error instanceof UnreadableLog) return error.message;
    throw error;
  }
  return "readable";
}

describe("a log", () => {
  it("is read whole, with or without its last line break", () => {
    expect(parseLog(text(header, line))).toEqual({ header, lines: [line] });
    expect(parseLog(text(header, line).trimEnd())).toEqual({ header, lines: [line] });
    expect(parseLog(text(header))).toEqual({ header, lines: [] });
  });

  it("is read as an editor saved it: with a byte order mark, with line breaks of two characters", () => {
    expect(parseLog(`\uFEFF${text(header, line)}`)).toEqual({ header, lines: [line] });
    expect(parseLog(text(header, line).replaceAll("\n", "\r\n"))).toEqual({ header, lines: [line] });
    expect(complaint("\uFEFF\uFEFF{}\n")).toBe("line 1: not JSON");
  });

  it.each([
    ["line 1: the file is empty", ""],
    ["line 1: not JSON", "log\n"],
    ["line 1: not a JSON object", "[]\n"],
    ['line 1: no header of format "touchline-log"', text(line)],
    ["line 1: version 2 is unknown; this build reads 1", text({ ...header, v: 2 })],
    ['line 1: "locale" of the header is missing or malformed', text({ ...header, locale: undefined })],
    ['line 1: "snapshot" of the header is missing or malformed', text({ ...header, snapshot: 7 })],
    ["line 3: not JSON; the file ends inside this line", `${text(header, line)}{"seq":2`],
    ["line 3: not JSON", `${text(header, line)}{"seq":2\n`],
    ["line 2: not JSON", `${text(header)}\n${text(line)}`],
  ])("is unreadable: %s", (why, log) => {
    expect(complaint(log)).toBe(why);
  });

  it.each([
    ["seq", { seq: 0 }],
    ["seq", { seq: "1" }],
    ["at", { at: null }],
    ["mono", { mono: undefined }],
    ["kind", { kind: "deed" }],
    ["origin", { origin: "moon" }],
    ["type", { type: 1 }],
    ["type_version", { type_version: 1.5 }],
    ["payload", { payload: undefined }],
    ["call", { call: 1 }],
  ])("is unreadable for a line whose %s is %j", (field, change) => {
    expect(complaint(text(header, { ...line, ...change }))).toBe(`line 2: "${field}" is missing or malformed`);
  });

  it.each([
    ["effect", {}],
    ["effect", { err: { code: "x" } }],
    ["checkpoint", { slices: { a: 1 }, open: [] }],
    ["checkpoint", { slices: {} }],
    ["gap", { from: 1, to: 2 }],
    ["snapshot", { state: null, counters: {}, open: [] }],
    ["snapshot", { state: {}, counters: { a: 0 }, open: [] }],
  ])("is unreadable for the payload of a %s that is %j", (kind, payload) => {
    expect(complaint(text(header, { ...line, kind, payload, call: "c" }))).toBe(
      `line 2: the payload of this ${kind} is malformed`,
    );
  });

  it("is unreadable for an answer that names no call", () => {
    const answer = JSON.stringify({ ...line, kind: "effect", payload: { ok: null } });
    expect(() => parseLine(answer, 9)).toThrow('line 9: an effect needs its "call"');
  });
});
