import { canonical } from "./plain";

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field's name, unlike an id that keys an entry. */
const isFieldName = (key: string): boolean => /^[a-z_]\w*$/i.test(key);

/** The names of fields that only `got` has, at any depth; undefined if the two differ in anything else. */
export function addedFields(expected: unknown, got: unknown): string[] | undefined {
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return undefined;
    return merged(expected.map((item, index) => addedFields(item, got[index])));
  }
  if (isRecord(expected) && isRecord(got)) {
    const names = Object.keys({ ...expected, ...got });
    return merged(
      names.map((name) => {
        if (expected[name] !== undefined) return addedFields(expected[name], got[name]);
        if (got[name] === undefined) return [];
        return isFieldName(name) ? [name] : undefined;
      }),
    );
  }
  return canonical(expected ?? null) === canonical(got ?? null) ? [] : undefined;
}

const merged = (found: readonly (readonly string[] | undefined)[]): string[] | undefined =>
  found.some((names) => names === undefined) ? undefined : found.flatMap((names) => names ?? []);

/** Whether a value has a field of this name, at any depth. */
export function hasField(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasField(item, name));
  return isRecord(value) && (value[name] !== undefined || Object.values(value).some((item) => hasField(item, name)));
}

/** The value without fields of these names, at any depth. */
export function withoutFields(value: unknown, names: ReadonlySet<string>): unknown {
  // The same object has a cached hash.
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, names));
  if (!isRecord(value)) return value;
  const remaining = Object.entries(value).filter(([name]) => !names.has(name));
  return Object.fromEntries(remaining.map(([name, item]) => [name, withoutFields(item, names)]));
}

/** The value without each one, and each two, of these fields of its top level. */
export function* withoutTopLevel(value: unknown, names: readonly string[]): Generator<[string[], unknown]> {
  if (!isRecord(value)) return;
  const present = names.filter((name) => name in value);
  const without = (...removed: string[]): [string[], unknown] => [
    removed,
    Object.fromEntries(Object.entries(value).filter(([name]) => !removed.includes(name))),
  ];
  for (const name of present) yield without(name);
  for (const [index, name] of present.entries())
    for (const other of present.slice(index + 1)) yield without(name, other);
}
