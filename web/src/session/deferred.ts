/** A value that arrives later. */
export interface Deferred<T> {
  /** null: not yet available. */
  readonly value: T | null;
  /** Settles when the value arrives. */
  readonly promise: Promise<T>;
  /** Sets the value. */
  resolve(value: T): void;
}

export function createDeferred<T>(): Deferred<T> {
  let present: T | null = null;
  let settle: (value: T) => void = () => undefined;
  const come = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return {
    get value() {
      return present;
    },
    promise: come,
    resolve(value) {
      present = value;
      settle(value);
    },
  };
}
