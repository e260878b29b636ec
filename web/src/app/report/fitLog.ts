import { hashOfBlobLine, isBlobLine } from "../../eventlog/blobLine";
import { createRunningCheck } from "../../eventlog/check";
import { canCompress, gzip } from "./gzip";

/** Size limits of a report: the worker's limits minus room for the note and request ids. */
export interface ReportLimits {
  /** Characters of the log. */
  readonly characters: number;
  /** Bytes of the log in the body's JSON. */
  readonly bytes: number;
  /** Compressed bytes; null if it is sent uncompressed. */
  readonly packed: number | null;
}

/** Bytes for the note, the page, request ids and field names as JSON. */
const REST = 32 * 1024;

/** Limits of a compressed report: the worker's `reports.log`, `reports.unpacked` and `bodies.problem_report_gzip`. */
export const PACKED: ReportLimits = {
  characters: 24_000_000,
  bytes: (32 << 20) - REST,
  packed: (8 << 20) - REST,
};

/** Limits of an uncompressed report: `bodies.problem_report`. */
export const PLAIN: ReportLimits = { characters: 24_000_000, bytes: (1 << 20) - REST, packed: null };

/** A log that fits into a report. */
export type FittedLog =
  | { readonly at: "whole"; readonly text: string }
  /** `missing`: number of omitted lines. `hasBeginning`: sagas can replay the lines up to the gap. */
  | { readonly at: "cut"; readonly text: string; readonly missing: number; readonly hasBeginning: boolean }
  /** No part that could be replayed is small enough. */
  | { readonly at: "tooLarge" };

/** Limits for this browser. */
export const limitsHere = (): ReportLimits => (canCompress() ? PACKED : PLAIN);

/** Factor for the next attempt when a compressed log is still too large. */
const SMALLER = 0.8;

/** Fits a log into a report, cutting as little as possible. */
export async function fitLog(text: string, limits: ReportLimits = limitsHere()): Promise<FittedLog> {
  let { bytes } = limits;
  for (;;) {
    const fitted = cutLog(text, { ...limits, bytes });
    if (fitted.at === "tooLarge" || limits.packed === null) return fitted;
    const json = JSON.stringify(fitted.text);
    if ((await gzip(json)).byteLength <= limits.packed) return fitted;
    bytes = Math.floor(encoder.encode(json).length * SMALLER);
  }
}

const encoder = new TextEncoder();

/** Quotes and line breaks take more bytes in JSON. */
const sizeOf = (text: string): number => encoder.encode(JSON.stringify(text)).length;

interface LineInfo {
  readonly seq: number;
  readonly at: number;
  readonly mono: number;
  readonly kind: string;
}

function infoOf(line: string): LineInfo | null {
  try {
    return JSON.parse(line) as LineInfo;
  } catch {
    return null;
  }
}

const isSnapshot = (line: string): boolean => line.includes('"kind":"snapshot"') && infoOf(line)?.kind === "snapshot";

/** Characters, and bytes in the body's JSON. */
interface Size {
  characters: number;
  bytes: number;
}

const add = (size: Size, line: string): void => {
  size.characters += line.length + 1;
  size.bytes += sizeOf(line);
};

interface LogLines {
  readonly header: string;
  readonly lines: readonly string[];
  /** Blob lines by hash. */
  readonly blobs: ReadonlyMap<string, string>;
}

function partsOf(text: string): LogLines {
  const [header = "", ...rest] = text.split("\n");
  const blobs = rest.filter(isBlobLine).map((line) => [hashOfBlobLine(line), line] as const);
  return { header, lines: rest.filter((line) => line !== "" && !isBlobLine(line)), blobs: new Map(blobs) };
}

const REFERENCE = /"\$blob":"([0-9a-f]{16})"/g;

/** Adds the blobs that a line refers to, directly or through other blobs, each once. */
function addBlobs(blobs: ReadonlyMap<string, string>, line: string, used: Map<string, string>, size: Size): void {
  for (const [, hash = ""] of line.matchAll(REFERENCE)) {
    const blob = blobs.get(hash);
    if (blob === undefined || used.has(hash)) continue;
    used.set(hash, blob);
    add(size, blob);
    addBlobs(blobs, blob, used, size);
  }
}

/** Share of a report reserved for the beginning of the log, tried in order until the rest fits. */
const BEGINNING_SHARES = [1 / 2, 1 / 4, 1 / 8, 0] as const;

const isCheckpoint = (line: string): boolean =>
  line.includes('"kind":"checkpoint"') && infoOf(line)?.kind === "checkpoint";

/**
 * The lines from the page load, the only point where sagas can start, to the first snapshot after it, or to an earlier
 * checkpoint if those lines exceed `share` of the report. Empty if the page load is missing.
 */
function beginningOf(
  { lines, blobs }: LogLines,
  until: number,
  limits: ReportLimits,
  share: number,
): readonly string[] {
  if (infoOf(lines[0] ?? "")?.seq !== 1) return [];
  const size: Size = { characters: 0, bytes: 0 };
  const used = new Map<string, string>();
  let end = 0;
  for (let index = 0; index < until; index++) {
    const line = lines[index] ?? "";
    add(size, line);
    addBlobs(blobs, line, used, size);
    if (size.characters > limits.characters * share || size.bytes > limits.bytes * share) break;
    if (isCheckpoint(line) || index === until - 1) end = index + 1;
  }
  return lines.slice(0, end);
}

/**
 * Cuts the middle out of a log that is too long. The beginning stays, since sagas start there. The rest resumes at the
 * earliest snapshot that fits, from which only reducers can replay. A `gap` line replaces the omitted lines.
 */
function cutLog(text: string, limits: ReportLimits): FittedLog {
  if (text.length <= limits.characters && sizeOf(text) <= limits.bytes) return { at: "whole", text };
  const parts = partsOf(text);
  const { lines } = parts;
  const snapshots = lines.flatMap((line, index) => (index > 0 && isSnapshot(line) ? [index] : []));
  for (const share of BEGINNING_SHARES) {
    const cut = restFrom(parts, beginningOf(parts, snapshots[0] ?? 0, limits, share), limits);
    if (cut.at !== "tooLarge") return cut;
  }
  return { at: "tooLarge" };
}

function restFrom({ header, lines, blobs }: LogLines, head: readonly string[], limits: ReportLimits): FittedLog {
  const last = infoOf(head.at(-1) ?? "")?.seq ?? 0;
  const size: Size = { characters: GAP_SIZE, bytes: GAP_SIZE };
  const used = new Map<string, string>();
  const hasBeginning = head.length > 0;
  const before = [header, ...head];
  for (const line of before) {
    add(size, line);
    addBlobs(blobs, line, used, size);
  }
  // From the end backwards: the size of each line plus everything before and after it.
  let cut: FittedLog = { at: "tooLarge" };
  for (let index = lines.length - 1; index > head.length; index--) {
    const line = lines[index] ?? "";
    add(size, line);
    addBlobs(blobs, line, used, size);
    if (size.characters > limits.characters || size.bytes > limits.bytes) break;
    const info = isSnapshot(line) ? infoOf(line) : null;
    if (!info || info.seq < last + 3) continue;
    const rest = [gapBefore(header, info, last), ...lines.slice(index), ...used.values()];
    cut = { at: "cut", text: `${[...before, ...rest].join("\n")}\n`, missing: index - head.length, hasBeginning };
  }
  return cut;
}

/** Maximum size of a gap line. */
const GAP_SIZE = 1024;

/** The line that replaces omitted lines before a snapshot. Its number is that of the last omitted line. */
function gapBefore(header: string, { seq, at, mono }: LineInfo, last: number): string {
  const reason = "the recording was too long to be sent whole";
  const payload = { from: last + 1, to: seq - 2, reason };
  const gap = {
    seq: seq - 1,
    at,
    mono,
    kind: "gap",
    origin: "storage",
    type: "cut",
    type_version: 1,
    payload,
  } as const;
  return createRunningCheck(header).ended("gap", JSON.stringify(gap).slice(0, -1));
}

/** Number of lines in a log, including its header. */
export const countLines = (text: string): number => partsOf(text).lines.length + 1;
