/** Ends a `switch` over a union: an unhandled member fails to compile, and a stray value is named in the error. */
export function exhaustive(value: never): never {
  throw new Error(`not a known variant: ${JSON.stringify(value)}`);
}
