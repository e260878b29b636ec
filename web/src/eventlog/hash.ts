import { canonical } from "./plain";

/** Two 32-bit lanes, mixed independently: 64 bits without BigInt, equal in every realm. */
interface Lanes {
  a: number;
  b: number;
}

const TAG = { text: 1, number: 2, true: 3, false: 4, null: 5, list: 6, record: 7 } as const;

// State is immutable, so a subtree's hash stays valid: hashing costs only the changes.
const cache = new WeakMap<object, Lanes>();

const seeded = (tag: number): Lanes => seed({ a: 0, b: 0 }, tag);

function seed(lanes: Lanes, tag: number): Lanes {
  lanes.a = 0x811c9dc5 | 0;
  lanes.b = 0x9e3779b9 | 0;
  mix(lanes, tag);
  return lanes;
}

function mix(lanes: Lanes, code: number): void {
  lanes.a = Math.imul(lanes.a ^ code, 0x01000193);
  lanes.b = Math.imul(lanes.b ^ code, 0x85ebca6b);
  lanes.b ^= lanes.b >>> 13;
}

function mixText(lanes: Lanes, text: string): void {
  let { a, b } = lanes;
  const { length } = text;
  for (let index = 0; index <= length; index++) {
    const code = index < length ? text.charCodeAt(index) : length + 0x10000;
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  lanes.a = a;
  lanes.b = b;
}

function mixValue(lanes: Lanes, value: unknown): void {
  const inner = lanesOf(value);
  mix(lanes, inner.a);
  mix(lanes, inner.b);
}

/** A record's keys in order. Most are already sorted, and checking is cheaper than sorting. */
function sortedKeys(record: object): string[] {
  const keys = Object.keys(record);
  for (let index = 1; index < keys.length; index++)
    if ((keys[index] as string) < (keys[index - 1] as string)) return keys.sort();
  return keys;
}

function lanesOfObject(value: object): Lanes {
  const before = cache.get(value);
  if (before) return before;
  const lanes = seeded(Array.isArray(value) ? TAG.list : TAG.record);
  if (Array.isArray(value)) {
    for (const item of value) mixValue(lanes, item);
  } else {
    const record = value as Record<string, unknown>;
    for (const key of sortedKeys(record)) {
      if (record[key] === undefined) continue;
      mixText(lanes, key);
      mixValue(lanes, record[key]);
    }
  }
  cache.set(value, lanes);
  return lanes;
}

// Primitives are hashed without allocation: the lanes are valid until the next one.
const passing: Lanes = { a: 0, b: 0 };

function lanesOf(value: unknown): Lanes {
  switch (typeof value) {
    case "string":
      mixText(seed(passing, TAG.text), value);
      return passing;
    case "number":
      if (!Number.isFinite(value)) return seed(passing, TAG.null);
      mixText(seed(passing, TAG.number), String(value));
      return passing;
    case "boolean":
      return seed(passing, value ? TAG.true : TAG.false);
    case "object":
      return value === null ? seed(passing, TAG.null) : lanesOfObject(value);
    default:
      return seed(passing, TAG.null);
  }
}

const hex = (code: number): string => (code >>> 0).toString(16).padStart(8, "0");

/**
 * The hash of an immutable value: 16 hex digits, equal exactly for values whose JSON means the same. Key order doesn't
 * matter, and absent equals `undefined`.
 */
export function stateHash(value: unknown): string {
  const { a, b } = lanesOf(value);
  return hex(a) + hex(b);
}

/** Whether the hash is cached. */
export const hasCachedHash = (value: object): boolean => cache.has(value);

/** The hash of a text, and of another before it: 16 hex digits. */
export function textHash(text: string, before = ""): string {
  const lanes = seeded(TAG.text);
  mixText(lanes, before);
  mixText(lanes, text);
  return hex(lanes.a) + hex(lanes.b);
}

/** A short digest of a call's arguments, 8 hex digits: enough to detect a change, too short to reveal them. */
export function digest(args: unknown): string {
  const lanes = seeded(TAG.text);
  mixText(lanes, canonical(args));
  return hex(lanes.a ^ lanes.b);
}
