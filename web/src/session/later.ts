/** Something that is there later, for who needs its name before. */
export interface Later<T> {
  /** null: it is not there yet. */
  readonly present: T | null;
  /** Settles when it is there. */
  readonly come: Promise<T>;
  /** It is there. */
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
