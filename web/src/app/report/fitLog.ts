import { hashOfBlobLine, isBlobLine } from "../../eventlog/blobLine";
import { createRunningCheck } from "../../eventlog/check";
import { canCompress, gzip } from "./gzip";

/** What a report may hold. The worker's limits are these, and what note and request ids take beside the log. */
export interface ReportLimits {
  /** Characters of the log. */
  readonly characters: number;
  /** Bytes of the log as it stands in the body's JSON. */
  readonly bytes: number;
  /** Bytes of it once compressed; null: it is sent as it is. */
  readonly packed: number | null;
}

/** Note, page and request ids, as JSON, and the fields' names. */
const REST = 32 * 1024;

/** A report that is compressed: `reports.log`, `reports.unpacked` and `bodies.problem_report_gzip` of the worker. */
export const PACKED: ReportLimits = {
  characters: 24_000_000,
  bytes: (32 << 20) - REST,
  packed: (8 << 20) - REST,
};

/** One that is not: `bodies.problem_report`. */
export const PLAIN: ReportLimits = { characters: 24_000_000, bytes: (1 << 20) - REST, packed: null };

/** A log as it can be sent. */
export type FittedLog =
  | { readonly at: "whole"; readonly text: string }
  /** `missing`: how many lines of it are left out. `hasBeginning`: sagas can replay it, up to what is left out. */
  | { readonly at: "cut"; readonly text: string; readonly missing: number; readonly hasBeginning: boolean }
  /** No part of it that could be replayed is small enough. */
  | { readonly at: "tooLarge" };

/** Where a browser packs, and what a report may hold then. */
export const limitsHere = (): ReportLimits => (canCompress() ? PACKED : PLAIN);

/** How much smaller a log is tried where the one before was still too large when it was compressed. */
const SMALLER = 0.8;

/** A log as it can be sent: whole, or cut as little as need be. */
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

/** Quotes and line breaks grow in JSON. */
const sizeOf = (text: string): number => encoder.encode(JSON.stringify(text)).length;

/** What is read of a line to cut a log there. */
interface Place {
  readonly seq: number;
  readonly at: number;
  readonly mono: number;
  readonly kind: string;
}

function placeOf(line: string): Place | null {
  try {
    return JSON.parse(line) as Place;
  } catch {
    return null;
  }
}

const isSnapshot = (line: string): boolean => line.includes('"kind":"snapshot"') && placeOf(line)?.kind === "snapshot";

/** Characters, and bytes as they stand in the body's JSON. */
interface Size {
  characters: number;
  bytes: number;
}

const add = (size: Size, line: string): void => {
  size.characters += line.length + 1;
  size.bytes += sizeOf(line);
};

/** What a log is cut into. */
interface Parts {
  readonly header: string;
  readonly lines: readonly string[];
  /** The lines of its blobs, by hash. */
  readonly blobs: ReadonlyMap<string, string>;
}

function partsOf(text: string): Parts {
  const [header = "", ...rest] = text.split("\n");
  const blobs = rest.filter(isBlobLine).map((line) => [hashOfBlobLine(line), line] as const);
  return { header, lines: rest.filter((line) => line !== "" && !isBlobLine(line)), blobs: new Map(blobs) };
}

const REFERENCE = /"\$blob":"([0-9a-f]{16})"/g;

/** Adds the blobs that a line refers to, and those that they refer to, each once. */
function addBlobs(blobs: ReadonlyMap<string, string>, line: string, taken: Map<string, string>, size: Size): void {
  for (const [, hash = ""] of line.matchAll(REFERENCE)) {
    const blob = blobs.get(hash);
    if (blob === undefined || taken.has(hash)) continue;
    taken.set(hash, blob);
    add(size, blob);
    addBlobs(blobs, blob, taken, size);
  }
}

/** How much of a report its beginning may take; less where the rest would not fit then, and none at last. */
const BEGINNING_SHARES = [1 / 2, 1 / 4, 1 / 8, 0] as const;

const isCheckpoint = (line: string): boolean =>
  line.includes('"kind":"checkpoint"') && placeOf(line)?.kind === "checkpoint";

/**
 * The lines from the page load on, the one place where sagas start: as far as the first snapshot behind it, or to an
 * earlier checkpoint where those take more than this share of what a report may hold. None where the page load is gone.
 */
function beginningOf({ lines, blobs }: Parts, until: number, limits: ReportLimits, share: number): readonly string[] {
  if (placeOf(lines[0] ?? "")?.seq !== 1) return [];
  const size: Size = { characters: 0, bytes: 0 };
  const taken = new Map<string, string>();
  let end = 0;
  for (let index = 0; index < until; index++) {
    const line = lines[index] ?? "";
    add(size, line);
    addBlobs(blobs, line, taken, size);
    if (size.characters > limits.characters * share || size.bytes > limits.bytes * share) break;
    if (isCheckpoint(line) || index === until - 1) end = index + 1;
  }
  return lines.slice(0, end);
}

/**
 * Cuts a log that is too long out of its middle. Its beginning stays, where sagas start; the rest goes on at a snapshot,
 * as early a one as fits, from which reducers alone go on; a `gap` says what is missing between them.
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

function restFrom({ header, lines, blobs }: Parts, head: readonly string[], limits: ReportLimits): FittedLog {
  const last = placeOf(head.at(-1) ?? "")?.seq ?? 0;
  const size: Size = { characters: GAP_SIZE, bytes: GAP_SIZE };
  const taken = new Map<string, string>();
  const hasBeginning = head.length > 0;
  const before = [header, ...head];
  for (const line of before) {
    add(size, line);
    addBlobs(blobs, line, taken, size);
  }
  // From the end on: what each line takes beside what stands before and behind it.
  let cut: FittedLog = { at: "tooLarge" };
  for (let index = lines.length - 1; index > head.length; index--) {
    const line = lines[index] ?? "";
    add(size, line);
    addBlobs(blobs, line, taken, size);
    if (size.characters > limits.characters || size.bytes > limits.bytes) break;
    const place = isSnapshot(line) ? placeOf(line) : null;
    if (!place || place.seq < last + 3) continue;
    const rest = [gapBefore(header, place, last), ...lines.slice(index), ...taken.values()];
    cut = { at: "cut", text: `${[...before, ...rest].join("\n")}\n`, missing: index - head.length, hasBeginning };
  }
  return cut;
}

/** The most that the line of a gap takes. */
const GAP_SIZE = 1024;

/** The line that says what was left out before a snapshot. It has the number of the last line left out. */
function gapBefore(header: string, { seq, at, mono }: Place, last: number): string {
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

/** How many lines a log has, its header among them. */
export const countLines = (text: string): number => partsOf(text).lines.length + 1;
