import { isBlobLine } from "./blobLine";
import { createBlobReader } from "./blobReader";
import { BLOB } from "./blobs";
import { createCheckReader } from "./checkReader";
import { isTooDeep, TOO_DEEP } from "./depth";
import { FORMAT, type Header, KINDS, type Kind, type Line, ORIGINS, type SnapshotLine, VERSION } from "./envelope";
import { stateHash } from "./hash";

/** An unreadable log: no header, invalid JSON, a line against its schema, or an unknown version. */
export class UnreadableLog extends Error {
  constructor(
    /** The line's number in its file, from 1. */
    readonly line: number,
    reason: string,
  ) {
    super(`line ${line}: ${reason}`);
    this.name = "UnreadableLog";
  }
}

export interface Log {
  readonly header: Header;
  readonly lines: readonly Line[];
}

/** The file's line number of `Log.lines[index]`: the header is line 1. */
export const fileLine = (index: number): number => index + 2;

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Check = (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isRecordOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);

const HEADER: Readonly<Record<string, Check>> = {
  build: isText,
  channel: isText,
  locale: isText,
  window: (value) => value === undefined || (Array.isArray(value) && value.length === 2 && value.every(isNumber)),
  started_at: isNumber,
  snapshot: (value) => value === null || isRecord(value),
};

const LINE: Readonly<Record<string, Check>> = {
  seq: isCount,
  at: isNumber,
  mono: isNumber,
  kind: (value) => KINDS.some((kind) => kind === value),
  origin: (value) => ORIGINS.some((origin) => origin === value),
  type: isText,
  type_version: isCount,
  payload: (value) => value !== undefined,
  call: (value) => value === undefined || isText(value),
};

const isFailure: Check = (value) => isRecord(value) && isText(value.code) && isText(value.message);

const PAYLOAD: Readonly<Record<Kind, Check>> = {
  action: () => true,
  effect: (value) => isRecord(value) && ("ok" in value || isFailure(value.err)),
  checkpoint: (value) =>
    isRecord(value) && isRecordOf(isText)(value.slices) && isTexts(value.open) && isText(value.covers),
  gap: (value) => isRecord(value) && isCount(value.from) && isCount(value.to) && isText(value.reason),
  snapshot: (value) =>
    isRecord(value) &&
    isRecord(value.state) &&
    isRecordOf(isCount)(value.counters) &&
    isTexts(value.open) &&
    isRecordOf(isText)(value.hashes),
};

function broken(fields: Fields, checks: Readonly<Record<string, Check>>): string | undefined {
  return Object.keys(checks).find((name) => !checks[name]?.(fields[name]));
}

function parseRecord(text: string, number: number, isUnended = false): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnreadableLog(number, isUnended ? "not JSON; the file ends inside this line" : "not JSON");
  }
  if (!isRecord(value)) throw new UnreadableLog(number, "not a JSON object");
  if (isTooDeep(value)) throw new UnreadableLog(number, TOO_DEEP);
  return value;
}

/** Refuses a shape that this build doesn't write: other builds did, under the same version. Throws `UnreadableLog`. */
function refuseShape(number: number, reason: string, build: unknown): never {
  const recorder = isText(build)
    ? `; the log was recorded by build ${build}, which can replay it unless the file was edited`
    : "";
  throw new UnreadableLog(number, `${reason}${recorder}`);
}

function parseHeader(text: string): Header {
  const fields = parseRecord(text, 1);
  if (fields.format !== FORMAT) throw new UnreadableLog(1, `no header of format "${FORMAT}"`);
  if (fields.v !== VERSION) {
    throw new UnreadableLog(1, `version ${JSON.stringify(fields.v)} is unknown; this build reads ${VERSION}`);
  }
  const field = broken(fields, HEADER);
  if (field) refuseShape(1, `"${field}" of the header is missing or malformed`, fields.build);
  return fields as unknown as Header;
}

/** Resolves references; `edited` is the fault found, if any. */
type Resolve = (payload: unknown) => { readonly value: unknown; readonly edited: string | undefined };

/**
 * Parses one line; `number` is its number in the file. `isUnended`: the file ends without a line break, as a truncated
 * one does. Throws `UnreadableLog`.
 */
function parseLine(text: string, number: number, isUnended: boolean, resolve: Resolve, build: string): Line {
  // The reader's findings aren't part of a line.
  const { check: _, edited: __, ...rest } = parseRecord(text, number, isUnended);
  const fields: Fields = "type_version" in rest ? rest : { ...rest, type_version: 1 };
  const field = broken(fields, LINE);
  if (field) refuseShape(number, `"${field}" is missing or malformed`, build);
  const kind = fields.kind as Kind;
  const { value, edited } = resolve(fields.payload);
  if (!PAYLOAD[kind](value)) refuseShape(number, `the payload of this ${kind} is malformed`, build);
  if (kind === "effect" && fields.call === undefined) refuseShape(number, 'an effect needs its "call"', build);
  return { ...fields, payload: value, ...(edited === undefined ? {} : { edited }) } as unknown as Line;
}

/** Some editors write this before the first character of a file. */
const BYTE_ORDER_MARK = "\uFEFF";

/** Parses a whole log: its lines, then the blobs that they refer to. Throws `UnreadableLog`. */
export function parseLog(text: string): Log {
  const texts = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split("\n").map(withoutReturn);
  const endsInLine = texts.at(-1) !== "";
  while (texts.at(-1) === "") texts.pop();
  const [first, ...rest] = texts;
  if (first === undefined) throw new UnreadableLog(1, "the file is empty");
  const header = parseHeader(first);
  let end = rest.length;
  while (end > 0 && isBlobLine(rest[end - 1] ?? "")) end -= 1;
  const blobs = createBlobReader(rest.slice(end), (index, reason) => new UnreadableLog(fileLine(end + index), reason));
  const vouched = createVoucher(first);
  const lines = rest.slice(0, end).map((line, index) => {
    const number = fileLine(index);
    const resolve: Resolve = (payload) =>
      line.includes(BLOB)
        ? blobs.resolve(payload, (reason) => new UnreadableLog(number, reason))
        : { value: payload, edited: undefined };
    return vouched(parseLine(line, number, endsInLine && index === rest.length - 1, resolve, header.build), line);
  });
  return { header, lines: withLastMarked(lines, blobs.editedUnread()) };
}

/** Marks the last line for blobs that no line refers to. */
function withLastMarked(lines: readonly Line[], edited: string | undefined): readonly Line[] {
  const last = lines.at(-1);
  return edited === undefined || last === undefined ? lines : [...lines.slice(0, -1), { edited, ...last }];
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

/** Reads the lines of a log in order, and marks those that were changed. */
function createVoucher(header: string): (line: Line, text: string) => Line {
  const checked = createCheckReader(header);
  return (line, text) => {
    const edited =
      checked(line.kind, text) ?? line.edited ?? (line.kind === "snapshot" ? editedSlices(line) : undefined);
    return edited === undefined ? line : { ...line, edited };
  };
}

/** A snapshot's hashes cover its slices, whatever their shape. */
function editedSlices({ payload: { state, hashes } }: SnapshotLine): string | undefined {
  const names = new Set([...Object.keys(state), ...Object.keys(hashes)]);
  const edited = [...names].filter((name) => {
    const recordedHash = hashes[name];
    return (
      recordedHash === undefined ||
      !(name in state) ||
      recordedHash.slice(recordedHash.indexOf(":") + 1) !== stateHash(state[name])
    );
  });
  return edited.length === 0 ? undefined : `its ${edited.join(", ")} do not match their recorded hashes`;
}
