/** Ends a `switch` over a union: a member that is not handled fails to compile, and a stray value is named. */
export function exhaustive(value: never): never {
  throw new Error(`not a known variant: ${JSON.stringify(value)}`);
}
