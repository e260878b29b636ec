import type { Json } from "../lib/json";

/**
 * The plain JSON that a value becomes in the log. What a saga or a reducer is given passes through here first, so that
 * it sees in a live session exactly what it will see in a replay. `undefined` becomes `null`.
 */
export function plain(value: unknown): Json {
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as Json);
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
