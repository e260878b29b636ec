import type { Json } from "../lib/json";

/**
 * The plain JSON that a value becomes in the log. What a saga or a reducer is given passes through here first, so that
 * it sees in a live session exactly what it will see in a replay. `undefined` becomes `null`.
 */
export function plain(value: unknown): Json {
  if (value === undefined || value === null) return null;
  const copy = copied(value);
  if (copy !== CHANGED) return copy;
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** Stands for a value that is not what its JSON text would give back: a date, an absent field, a number beyond JSON's. */
const CHANGED = Symbol("changed");

// A copy is a third of the work of a text and its parsing, and nearly everything is plain JSON before it comes here.
function copied(value: unknown): Json | typeof CHANGED {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : CHANGED;
    case "object":
      if (value === null) return null;
      return Array.isArray(value) ? copiedList(value) : copiedRecord(value);
    default:
      return CHANGED;
  }
}

function copiedList(list: readonly unknown[]): Json | typeof CHANGED {
  const copy: Json[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = copied(list[index]);
    if (item === CHANGED) return CHANGED;
    copy.push(item);
  }
  return copy;
}

function copiedRecord(record: object): Json | typeof CHANGED {
  if (Object.getPrototypeOf(record) !== Object.prototype) return CHANGED;
  const copy = { ...record } as Record<string, Json>;
  for (const key in copy) {
    const item = copied(copy[key]);
    // Assigned, this key would become the copy's prototype.
    if (item === CHANGED || key === "__proto__") return CHANGED;
    copy[key] = item;
  }
  return copy;
}

/** JSON text with sorted keys: two values have the same text if and only if they mean the same in a log. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, sorted) ?? "null";
}

function sorted(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries);
}
