/** Limit of nesting in a log: far above the product's values and below the stack limit. */
export const DEEPEST = 500;

export const TOO_DEEP = `its values are nested deeper than ${DEEPEST}`;

/** Whether lists and records are nested deeper than `left`. */
export function isTooDeep(value: unknown, left = DEEPEST): boolean {
  if (value === null || typeof value !== "object") return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}
