import { isDeepStrictEqual } from "node:util";
import { createRunningCheck } from "../../src/eventlog/check";
import { withoutCheck } from "../../src/eventlog/checkReader";
import type { ActionLine, CheckpointLine, EffectLine, Line, SnapshotLine } from "../../src/eventlog/envelope";
import { type Log, parseLog } from "../../src/eventlog/parse";

/** Chooses a number below `count`. */
export type Choose = (count: number) => number;

/** An edited log and the position of the edit. */
export interface Edit {
  readonly log: Log;
  readonly what: string;
}

/** The original text of each unedited line, without its check. */
const originalText = new WeakMap<Line, string>();

/** An edited line as the recorder would have written it, without its check: a checkpoint's hash comes last. */
function editedText({ payload, type_version, ...line }: Line): string {
  const { call, ...rest } = { call: undefined, ...line };
  return JSON.stringify({
    ...rest,
    ...(type_version === 1 ? {} : { type_version }),
    payload,
    ...(call === undefined ? {} : { call }),
  }).slice(0, -1);
}

/** A recorded log, ready to be edited. */
export interface Recorded {
  readonly log: Log;
  /**
   * An edited log as the text of a file: unchanged lines as they were, edited ones complete, and all checks recomputed.
   */
  text(edited: Log): string;
}

export function recorded(file: string): Recorded {
  const log = parseLog(file);
  const texts = file.trimEnd().split("\n");
  for (const [index, line] of log.lines.entries()) originalText.set(line, withoutCheck(texts[index + 1] ?? ""));
  const blobs = texts.slice(log.lines.length + 1);
  return {
    log,
    text({ header, lines }) {
      const first = JSON.stringify(header);
      const check = createRunningCheck(first);
      const written = lines.map((line) => check.ended(line.kind, originalText.get(line) ?? editedText(line)));
      return [first, ...written, ...blobs].map((text) => `${text}\n`).join("");
    },
  };
}

/** Edits a log at one position; null if it has no suitable one. */
export type EditKind = (log: Log, choose: Choose) => Edit | null;

type Of<K extends Line["kind"]> = Extract<Line, { kind: K }>;
type Path = readonly (string | number)[];

const pick = <T>(list: readonly T[], choose: Choose): T | undefined => list[choose(list.length)];
const clone = <T>(value: T): T => structuredClone(value);

/** The line with another number or time; the rest of its text stays the same. */
function moved(line: Line, change: { readonly seq?: number; readonly at?: number }): Line {
  const copy = { ...line, ...change };
  const text = originalText.get(line);
  if (text !== undefined)
    originalText.set(copy, text.replace(/^\{"seq":\d+,"at":\d+/, `{"seq":${copy.seq},"at":${copy.at}`));
  return copy;
}

/** The paths of the numbers, strings and booleans in a value. */
function leaves(value: unknown, path: Path = []): Path[] {
  if (value !== null && typeof value === "object")
    return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
  return [path];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}

function withChanged(value: unknown, path: Path, change: (leaf: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  const copy = clone(value) as Record<string | number, unknown>;
  copy[key] = withChanged(copy[key], rest, change);
  return copy;
}

/** Another value of the same type. */
function otherLeaf(leaf: unknown): unknown {
  if (typeof leaf === "number") return leaf + 1;
  if (typeof leaf === "boolean") return !leaf;
  if (typeof leaf === "string") return `${leaf}x`;
  return 0;
}

/** A text with one character changed. */
function otherByte(text: string, choose: Choose): string {
  const position = choose(text.length);
  const code = text.charCodeAt(position);
  return `${text.slice(0, position)}${String.fromCharCode(code === 120 ? 121 : 120)}${text.slice(position + 1)}`;
}

function replaced({ header, lines }: Log, index: number, line: Line, what: string): Edit {
  return { log: { header, lines: lines.with(index, line) }, what };
}

const renumbered = (lines: readonly Line[]): Line[] => lines.map((line, index) => moved(line, { seq: index + 1 }));

/** Edits a line of a suitable kind. */
function lineOf<K extends Line["kind"]>(
  kind: K,
  fits: (line: Of<K>) => boolean,
  change: (line: Of<K>, choose: Choose) => { line: Line; what: string } | null,
): EditKind {
  return (log, choose) => {
    const paths = log.lines.flatMap((line, index) => (line.kind === kind && fits(line as Of<K>) ? [index] : []));
    const index = pick(paths, choose);
    if (index === undefined) return null;
    const line = log.lines[index] as Of<K>;
    const changed = change(line, choose);
    return changed && replaced(log, index, changed.line, `${line.kind} ${line.type} ${changed.what}`);
  };
}

/** Changes a leaf of a line's payload below a field. */
function leafOf<L extends Line>(line: L, under: Path, choose: Choose, change = otherLeaf) {
  const payload: unknown = line.payload;
  const path = pick(leaves(at(payload, under)), choose);
  if (path === undefined) return null;
  const whole = [...under, ...path];
  return { line: { ...line, payload: withChanged(payload, whole, change) } as Line, what: whole.join(".") };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const hasText = (value: unknown): boolean => leaves(value).some((path) => isText(at(value, path)));

const isDraw = ({ type }: EffectLine): boolean => type === "draw" || type === "newId";
const isAnswer = (line: EffectLine): boolean => "ok" in line.payload && !isDraw(line);

function wholeTurn(log: Log, choose: Choose): Edit | null {
  const index = choose(log.lines.length);
  const { mono } = log.lines[index] as Line;
  const lines = log.lines.map((line) => (line.mono === mono ? moved(line, { at: line.at + 1_000 }) : line));
  return { log: { header: log.header, lines }, what: `the turn at ${mono}` };
}

/** Moves the lines before a snapshot within the log, back to the checkpoint before them. */
function beforeSnapshot({ header, lines }: Log, choose: Choose): Edit | null {
  const index = pick(
    lines.flatMap(({ kind }, position) => (kind === "snapshot" && position > 0 ? [position] : [])),
    choose,
  );
  if (index === undefined) return null;
  const from = lines.findLastIndex(({ kind }, position) => position < index - 1 && kind === "checkpoint");
  const later = lines.map((line, position) =>
    position > from && position < index ? moved(line, { at: line.at + 500 }) : line,
  );
  return { log: { header, lines: later }, what: `lines ${from + 1} to ${index}` };
}

/** Edits a line of any kind. */
const anyLine =
  (change: (line: Line) => Line): EditKind =>
  (log, choose) => {
    const index = choose(log.lines.length);
    const line = log.lines[index] as Line;
    return replaced(log, index, change(line), `line ${index + 2}, ${line.kind} ${line.type}`);
  };

/** Possible manipulations of a log, by name. */
export const editKinds: Readonly<Record<string, EditKind>> = {
  "a value of a snapshot": lineOf(
    "snapshot",
    () => true,
    (line: SnapshotLine, choose) =>
      leafOf(line, ["state", pick(Object.keys(line.payload.state), choose) ?? ""], choose),
  ),
  "a slice of a snapshot left out": lineOf(
    "snapshot",
    () => true,
    (line: SnapshotLine, choose) => {
      const name = pick(Object.keys(line.payload.state), choose) ?? "";
      const { [name]: _, ...state } = line.payload.state;
      return { line: { ...line, payload: { ...line.payload, state } }, what: name };
    },
  ),
  "a checkpoint's hash": lineOf(
    "checkpoint",
    ({ payload }) => Object.keys(payload.slices).length > 0,
    (line: CheckpointLine, choose) =>
      leafOf(line, ["slices"], choose, (hash) => otherByte(String(hash).slice(2), choose).padStart(18, "1:")),
  ),
  "a checkpoint's open calls": lineOf(
    "checkpoint",
    ({ payload }) => payload.open.length > 0,
    (line: CheckpointLine) => ({
      line: { ...line, payload: { ...line.payload, open: line.payload.open.slice(1) } },
      what: "open",
    }),
  ),
  "a fact of the header": ({ header, lines }, choose) => {
    const name = pick(["build", "channel", "locale", "started_at"] as const, choose) ?? "build";
    return { log: { header: { ...header, [name]: otherLeaf(header[name]) }, lines }, what: name };
  },
  "a fact of the header, and the reader's own mark on what vouches for it": ({ header, lines }) => ({
    log: {
      header: { ...header, locale: `${header.locale}x` },
      lines: lines.map((line) =>
        line.kind === "checkpoint" || line.kind === "snapshot" ? { ...line, edited: "" } : line,
      ),
    },
    what: "locale",
  }),
  "a checkpoint without its hashes": lineOf(
    "checkpoint",
    ({ payload }) => Object.keys(payload.slices).length > 0,
    (line: CheckpointLine) => ({ line: { ...line, payload: { ...line.payload, slices: {} } }, what: "slices" }),
  ),
  "the shapes that a checkpoint tells": lineOf(
    "checkpoint",
    ({ payload }) => Object.keys(payload.slices).length > 0,
    (line: CheckpointLine, choose) => leafOf(line, ["slices"], choose, (hash) => `7${String(hash).slice(1)}`),
  ),
  "the shapes that a snapshot tells": lineOf(
    "snapshot",
    () => true,
    (line: SnapshotLine, choose) => leafOf(line, ["hashes"], choose, (hash) => `7${String(hash).slice(1)}`),
  ),
  "no checkpoints, and other times": ({ header, lines }) => {
    const rest = lines.filter(({ kind }) => kind !== "checkpoint");
    const later = renumbered(rest).map((line) => ({ ...line, mono: line.mono * 2 }));
    return { log: { header, lines: later }, what: `${lines.length - rest.length} of them` };
  },
  "no last checkpoint, and later times behind the one before": ({ header, lines }) => {
    const last = lines.findLastIndex(({ kind }) => kind === "checkpoint");
    const rest = last === lines.length - 1 ? lines.slice(0, -1) : lines;
    const from = rest.findLastIndex(({ kind }) => kind === "checkpoint");
    if (from === rest.length - 1) return null;
    const later = rest.map((line, index) => (index > from ? moved(line, { at: line.at + 3_600_000 }) : line));
    return { log: { header, lines: later }, what: `behind line ${from + 2}` };
  },
  "nothing behind a snapshot, which is later": ({ header, lines }, choose) => {
    const index = pick(
      lines.flatMap(({ kind }, position) => (kind === "snapshot" && position > 0 ? [position] : [])),
      choose,
    );
    if (index === undefined) return null;
    const snapshot = lines[index] as Line;
    const later = { ...snapshot, at: snapshot.at + 3_600_000, mono: snapshot.mono + 3_600_000 };
    return { log: { header, lines: [...lines.slice(0, index), later] }, what: `snapshot at line ${index + 2}` };
  },
  "no checkpoint before a snapshot, and another line in its place": ({ header, lines }, choose) => {
    const index = pick(
      lines.flatMap(({ kind }, position) => (kind === "snapshot" && position > 1 ? [position] : [])),
      choose,
    );
    if (index === undefined) return null;
    const before = lines[index - 1] as Line;
    const draw = { ...before, kind: "effect", origin: "saga", type: "draw", call: "draw:x#1", payload: { ok: 0.5 } };
    return { log: { header, lines: lines.with(index - 1, draw as Line) }, what: `before line ${index + 2}` };
  },
  "why a line is there": anyLine((line) => ({ ...line, type: `${line.type}x` })),
  "where a line came from": anyLine((line) => ({ ...line, origin: line.origin === "sync" ? "api" : "sync" })),
  "the version of a line": anyLine((line) => ({ ...line, type_version: line.type_version + 1 })),
  "a field that no line has": anyLine((line) => ({ ...line, ...{ note: "x" } })),
  "a field that no payload has": lineOf(
    "checkpoint",
    () => true,
    (line) => ({
      line: { ...line, payload: { ...line.payload, note: "x" } as CheckpointLine["payload"] },
      what: "note",
    }),
  ),
  "a field that no snapshot has": lineOf(
    "snapshot",
    () => true,
    (line) => ({ line: { ...line, payload: { ...line.payload, note: "x" } as SnapshotLine["payload"] }, what: "note" }),
  ),
  "when a line was written": (log, choose) => {
    const index = choose(log.lines.length);
    const line = log.lines[index] as Line;
    return replaced(log, index, moved(line, { at: line.at + 1 + choose(10_000) }), `${line.kind} ${line.type} at`);
  },
  "how long after the page load": (log, choose) => {
    const index = choose(log.lines.length);
    const line = log.lines[index] as Line;
    return replaced(log, index, { ...line, mono: line.mono + 0.001 }, `${line.kind} ${line.type} mono`);
  },
  "the time of a turn": wholeTurn,
  "the times before a snapshot": beforeSnapshot,
  "a value of an answer": lineOf("effect", isAnswer, (line, choose) => leafOf(line, ["ok"], choose)),
  "one letter of an answer": lineOf(
    "effect",
    (line) => isAnswer(line) && hasText((line.payload as { ok: unknown }).ok),
    (line, choose) => {
      const { ok } = line.payload as { ok: unknown };
      const path = pick(
        leaves(ok).filter((one) => isText(at(ok, one))),
        choose,
      );
      if (path === undefined) return null;
      const change = (leaf: unknown): string => otherByte(String(leaf), choose);
      const payload = withChanged(line.payload, ["ok", ...path], change) as EffectLine["payload"];
      return { line: { ...line, payload }, what: `ok.${path.join(".")}` };
    },
  ),
  "an answer that becomes a failure": lineOf("effect", isAnswer, (line) => {
    const { args } = line.payload;
    const err = { code: "network", message: "The network is away", retryable: true };
    return { line: { ...line, payload: { err, ...(args === undefined ? {} : { args }) } }, what: "err" };
  }),
  "a draw": lineOf("effect", isDraw, (line, choose) => leafOf(line, ["ok"], choose)),
  "whose answer it is": lineOf(
    "effect",
    () => true,
    (line) => ({ line: { ...line, call: `${line.call}9` }, what: "call" }),
  ),
  "a value of a saga's action": lineOf(
    "action",
    ({ origin, payload }) => origin === "saga" && payload !== null,
    (line: ActionLine, choose) => leafOf(line, [], choose),
  ),
  "a value of an input": lineOf(
    "action",
    ({ origin, payload }) => origin !== "saga" && payload !== null,
    (line: ActionLine, choose) => leafOf(line, [], choose),
  ),
  "where an action came from": lineOf(
    "action",
    () => true,
    (line: ActionLine) => ({ line: { ...line, origin: line.origin === "saga" ? "ui" : "saga" }, what: "origin" }),
  ),
  "a line left out": ({ header, lines }, choose) => {
    const index = choose(lines.length - 1);
    const { kind, type } = lines[index] as Line;
    return { log: { header, lines: renumbered(lines.toSpliced(index, 1)) }, what: `${kind} ${type}` };
  },
  "two lines swapped": ({ header, lines }, choose) => {
    const index = choose(lines.length - 1);
    const [one, other] = [lines[index] as Line, lines[index + 1] as Line];
    // Two equal lines would change nothing.
    if (isDeepStrictEqual({ ...one, seq: 0 }, { ...other, seq: 0 })) return null;
    return {
      log: { header, lines: renumbered(lines.toSpliced(index, 2, other, one)) },
      what: `${one.type}, ${other.type}`,
    };
  },
  "a line twice": ({ header, lines }, choose) => {
    const index = choose(lines.length);
    const line = lines[index] as Line;
    return { log: { header, lines: renumbered(lines.toSpliced(index, 0, line)) }, what: `${line.kind} ${line.type}` };
  },
};
