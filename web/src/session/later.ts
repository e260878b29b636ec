/** A value that arrives later. */
export interface Later<T> {
  /** null: not yet available. */
  readonly present: T | null;
  /** Settles when the value arrives. */
  readonly come: Promise<T>;
  /** Sets the value. */
  is(value: T): void;
}

export function later<T>(): Later<T> {
  let present: T | null = null;
  let settle: (value: T) => void = () => undefined;
  const come = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return {
    get present() {
      return present;
    },
    come,
    is(value) {
      present = value;
      settle(value);
    },
  };
}
