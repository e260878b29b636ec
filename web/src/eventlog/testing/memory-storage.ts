import type { LogStorage } from "../stored-log";

/** A storage in memory that can be full. */
export interface MemoryStorage extends LogStorage {
  readonly items: Map<string, unknown>;
  /** Number of refused writes. */
  refused: number;
  /** Number of upcoming writes to refuse, as a busy storage does. */
  refusing: number;
  /** Capacity in characters. */
  capacity: number;
  /** Whether writes wait until `settle`. */
  held: boolean;
  /** Completes the waiting writes. */
  settle(): void;
}

/** The error of a browser whose storage is full. */
function quotaExceeded(): Error {
  const error = new Error("full");
  error.name = "QuotaExceededError";
  return error;
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

export function createMemoryStorage(): MemoryStorage {
  const items = new Map<string, unknown>();
  let waiting: (() => void)[] = [];
  const storage: MemoryStorage = {
    items,
    refused: 0,
    refusing: 0,
    capacity: Number.POSITIVE_INFINITY,
    held: false,
    settle() {
      const now = waiting;
      waiting = [];
      for (const write of now) write();
    },
    getItem: async (key) => structuredClone(items.get(key) ?? null),
    setItem: (key, value) => storage.update([], () => new Map([[key, value]])),
    removeItem: (key) => storage.update([], () => new Map([[key, undefined]])),
    async update(_keys, change) {
      if (storage.held) await new Promise<void>((resolve) => waiting.push(resolve));
      const entries = change();
      const others = [...items].filter(([other]) => !entries.has(other));
      const all = [...others, ...entries].filter(([, value]) => value !== undefined);
      const isMore = [...entries.values()].some((value) => value !== undefined);
      const size = all.reduce((sum, [, item]) => sum + sizeOf(item), 0);
      if (isMore && (storage.refusing > 0 || size > storage.capacity)) {
        storage.refusing = Math.max(0, storage.refusing - 1);
        storage.refused += 1;
        throw quotaExceeded();
      }
      for (const [key, value] of entries) {
        if (value === undefined) items.delete(key);
        else items.set(key, structuredClone(value));
      }
    },
    entries: async (prefix) =>
      structuredClone([...items].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))),
    // In arbitrary order.
    keys: async () => [...items.keys()].reverse(),
  };
  return storage;
}
