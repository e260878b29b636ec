import type { Json } from "../lib/json";
import { partsOf } from "./parts";

/**
 * Converts a value to the plain JSON of the log. Everything given to a saga or reducer passes through here first, so
 * that a live session and its replay see exactly the same. `undefined` becomes `null`.
 */
export const plain = (value: unknown): Json => finished(value, copied(value, NONE));

/** The same, step by step for big values. */
export function* plainInParts(value: unknown): Generator<void, Json> {
  const parts = new Map<object, Copied>();
  for (const part of partsOf(value, (one) => parts.has(one))) {
    parts.set(part, copied(part, parts));
    yield;
  }
  return finished(value, copied(value, parts));
}

function finished(value: unknown, copy: Copied): Json {
  if (copy !== CHANGED) return copy;
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** Marks a value that JSON doesn't preserve: a date, an absent field, a number outside JSON's range. */
const CHANGED = Symbol("changed");
type Copied = Json | typeof CHANGED;
/** Finished copies of a value's lists and records. */
type Copies = ReadonlyMap<object, Copied>;
const NONE: Copies = new Map();

// A copy costs a third of serialising and parsing, and nearly everything here is already plain JSON.
function copied(value: unknown, copies: Copies): Copied {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : CHANGED;
    case "object":
      if (value === null) return null;
      return copies.get(value) ?? (Array.isArray(value) ? copiedList(value, copies) : copiedRecord(value, copies));
    default:
      return CHANGED;
  }
}

function copiedList(list: readonly unknown[], copies: Copies): Copied {
  const copy: Json[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = copied(list[index], copies);
    if (item === CHANGED) return CHANGED;
    copy.push(item);
  }
  return copy;
}

function copiedRecord(record: object, copies: Copies): Copied {
  if (Object.getPrototypeOf(record) !== Object.prototype) return CHANGED;
  const copy = { ...record } as Record<string, Json>;
  for (const key in copy) {
    const item = copied(copy[key], copies);
    // Assigning this key would set the copy's prototype.
    if (item === CHANGED || key === "__proto__") return CHANGED;
    copy[key] = item;
  }
  return copy;
}

/** JSON text with sorted keys: two values have equal text exactly if they mean the same in a log. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, sorted) ?? "null";
}

function sorted(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries);
}
