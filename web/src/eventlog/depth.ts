/** Limit of nesting in a log: far above the product's values and below the stack limit. */
export const MAX_DEPTH = 500;

export const TOO_DEEP = `its values are nested deeper than ${MAX_DEPTH}`;

/** Whether lists and records are nested deeper than `left`. */
export function isTooDeep(value: unknown, remaining = MAX_DEPTH): boolean {
  if (value === null || typeof value !== "object") return false;
  return remaining === 0 || Object.values(value).some((inner) => isTooDeep(inner, remaining - 1));
}
