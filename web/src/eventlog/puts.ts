const puts = new WeakMap<object, () => string | undefined>();

/** Records the source line of a `put`, found when it is asked for. A page's bundle records none. */
export function recordPut(action: object, source: () => string | undefined): void {
  puts.set(action, source);
}

/** The source line at which a saga put this action. */
export const putAt = (action: object): string | undefined => puts.get(action)?.();
