/** Values with at least this many nested values are processed in parts. */
const BIG = 200;

/** Whether a value is worth processing in parts. */
export function isBig(value: unknown): boolean {
  let remaining = BIG;
  const count = (inner: unknown): void => {
    remaining -= 1;
    if (inner === null || typeof inner !== "object") return;
    for (const part of Object.values(inner)) if (remaining > 0) count(part);
  };
  count(value);
  return remaining <= 0;
}

/** The unfinished lists and records of a big value, innermost first; a small value is one part. */
export function* partsOf(value: unknown, isDone: (part: object) => boolean): Generator<object> {
  if (value === null || typeof value !== "object" || isDone(value)) return;
  if (isBig(value)) for (const inner of Object.values(value)) yield* partsOf(inner, isDone);
  yield value;
}
