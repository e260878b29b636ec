/** The part of localforage that this room uses: a durable map. Keys and personal data are nowhere else. */
export interface KeyValue {
  getItem<T>(key: string): Promise<T | null>;
  setItem<T>(key: string, value: T): Promise<T>;
  removeItem(key: string): Promise<void>;
  /** Reads `keys`, and stores what `change` makes of their values, in one transaction. */
  update(keys: readonly string[], change: (values: readonly unknown[]) => ReadonlyMap<string, unknown>): Promise<void>;
}
