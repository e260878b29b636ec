import { describe, expect, it } from "vitest";
import { createRunningCheck } from "./check";
import type { Kind } from "./envelope";
import { parseLog, UnreadableLog } from "./parse";

const header = {
  format: "touchline-log",
  v: 2,
  build: "b",
  channel: "c",
  locale: "fr",
  started_at: 1,
  snapshot: null,
};
const line = { seq: 1, at: 2, mono: 3, kind: "action", origin: "ui", type: "t", type_version: 1, payload: null };

/** A file of a header and lines, each with its check. */
function text(first: object, ...records: object[]): string {
  const check = createRunningCheck(JSON.stringify(first));
  const lines = records.map((record) =>
    check.ended((record as { kind?: Kind }).kind ?? "action", JSON.stringify(record).slice(0, -1)),
  );
  return [JSON.stringify(first), ...lines].map((written) => `${written}\n`).join("");
}

/** The error message of an unreadable log. */
function complaint(log: string): string {
  try {
    parseLog(log);
  } catch (error) {
    if (error instanceof UnreadableLog) return error.message;
    throw error;
  }
  return "readable";
}

/** The end of a message about a shape that this build doesn't write (LOG-3). */
const OF_BUILD = `the log was recorded by build ${header.build}, which can replay it unless the file was edited`;

describe("a log", () => {
  it("is read completely, with or without its last line break", () => {
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
    ["line 1: version 1 is unknown; this build reads 2", text({ ...header, v: 1 })],
    [`line 1: "locale" of the header is missing or malformed; ${OF_BUILD}`, text({ ...header, locale: undefined })],
    [`line 1: "window" of the header is missing or malformed; ${OF_BUILD}`, text({ ...header, window: ["390", 844] })],
    [`line 1: "snapshot" of the header is missing or malformed; ${OF_BUILD}`, text({ ...header, snapshot: 7 })],
    ['line 1: "build" of the header is missing or malformed', text({ ...header, build: undefined })],
    ["line 3: not JSON; the file ends inside this line", `${text(header, line)}{"seq":2`],
    ["line 3: not JSON", `${text(header, line)}{"seq":2\n`],
    ["line 2: not JSON", `${text(header)}\n${text(header, line)}`],
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
    expect(complaint(text(header, { ...line, ...change }))).toBe(
      `line 2: "${field}" is missing or malformed; ${OF_BUILD}`,
    );
  });

  it.each([
    ["effect", {}],
    ["effect", { err: { code: "x" } }],
    ["checkpoint", { slices: { a: 1 }, open: [], covers: "" }],
    ["checkpoint", { slices: {}, covers: "" }],
    ["checkpoint", { slices: {}, open: [] }],
    ["gap", { from: 1, to: 2 }],
    ["snapshot", { state: null, counters: {}, open: [], hashes: {} }],
    ["snapshot", { state: {}, counters: { a: 0 }, open: [], hashes: {} }],
    ["snapshot", { state: {}, counters: {}, open: [] }],
  ])("is unreadable for the payload of a %s that is %j", (kind, payload) => {
    expect(complaint(text(header, { ...line, kind, payload, call: "c" }))).toBe(
      `line 2: the payload of this ${kind} is malformed; ${OF_BUILD}`,
    );
  });

  it("is unreadable for an answer without a call", () => {
    const answer = { ...line, kind: "effect", payload: { ok: null } };
    expect(complaint(text(header, answer))).toBe(`line 2: an effect needs its "call"; ${OF_BUILD}`);
  });
});
