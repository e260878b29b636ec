import { FORMAT, type Header, KINDS, type Kind, type Line, ORIGINS, VERSION } from "./envelope";

/** A log that cannot be read: it has no header, or a line is not JSON or breaks its schema, or its version is unknown. */
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

/** A log as it was read. */
export interface Log {
  readonly header: Header;
  readonly lines: readonly Line[];
}

/** The number in its file of the line at `index` of `Log.lines`: the header is line 1. */
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
  checkpoint: (value) => isRecord(value) && isRecordOf(isText)(value.slices) && isTexts(value.open),
  gap: (value) => isRecord(value) && isCount(value.from) && isCount(value.to) && isText(value.reason),
  snapshot: (value) =>
    isRecord(value) && isRecord(value.state) && isRecordOf(isCount)(value.counters) && isTexts(value.open),
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
  return value;
}

function parseHeader(text: string): Header {
  const fields = parseRecord(text, 1);
  if (fields.format !== FORMAT) throw new UnreadableLog(1, `no header of format "${FORMAT}"`);
  if (fields.v !== VERSION) {
    throw new UnreadableLog(1, `version ${JSON.stringify(fields.v)} is unknown; this build reads ${VERSION}`);
  }
  const field = broken(fields, HEADER);
  if (field) throw new UnreadableLog(1, `"${field}" of the header is missing or malformed`);
  return fields as unknown as Header;
}

/**
 * Reads one line; `number` is its number in the file. `isUnended` says that the file has no line break behind it, as one
 * that was cut. Throws `UnreadableLog`.
 */
export function parseLine(text: string, number: number, isUnended = false): Line {
  const fields = parseRecord(text, number, isUnended);
  const field = broken(fields, LINE);
  if (field) throw new UnreadableLog(number, `"${field}" is missing or malformed`);
  const kind = fields.kind as Kind;
  if (!PAYLOAD[kind](fields.payload)) throw new UnreadableLog(number, `the payload of this ${kind} is malformed`);
  if (kind === "effect" && fields.call === undefined) throw new UnreadableLog(number, 'an effect needs its "call"');
  return fields as unknown as Line;
}

/** What some editors write before the first character of a file. */
const BYTE_ORDER_MARK = "\uFEFF";

/** Reads a whole log. Throws `UnreadableLog`. */
export function parseLog(text: string): Log {
  const texts = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split("\n");
  const endsInLine = texts.at(-1) !== "";
  if (!endsInLine) texts.pop();
  const [first, ...rest] = texts;
  if (first === undefined) throw new UnreadableLog(1, "the file is empty");
  const header = parseHeader(first);
  const last = rest.length - 1;
  return { header, lines: rest.map((line, index) => parseLine(line, fileLine(index), endsInLine && index === last)) };
}
