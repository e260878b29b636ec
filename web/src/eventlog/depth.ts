/** Lists and records in a log stand within so many others at most: far more than the product makes, and no stack's end. */
export const DEEPEST = 500;

export const TOO_DEEP = `its values stand deeper within each other than ${DEEPEST}`;

/** Whether lists and records stand deeper within each other than `left`. */
export function isTooDeep(value: unknown, left = DEEPEST): boolean {
  if (value === null || typeof value !== "object") return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}
