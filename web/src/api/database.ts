/** The subset of localforage that this folder uses: a durable map. Keys and personal data are stored nowhere else. */
export interface KeyValue {
  getItem<T>(key: string): Promise<T | null>;
  setItem<T>(key: string, value: T): Promise<T>;
  removeItem(key: string): Promise<void>;
  /** Reads `keys` and stores the values that `change` returns, in one transaction. */
  update(keys: readonly string[], change: (values: readonly unknown[]) => ReadonlyMap<string, unknown>): Promise<void>;
}
