import type { OutboxStore } from "../queue";

/** An outbox's object store in memory. Each access happens atomically when `turn` allows it. */
export function memoryStore(
  kept = new Map<string, unknown>(),
  turn: <T>(work: () => T) => Promise<T> = async (work) => work(),
): OutboxStore {
  const starting = (prefix: string): string[] => [...kept.keys()].filter((key) => key.startsWith(prefix)).sort();
  const copy = <T>(key: string): T => structuredClone(kept.get(key)) as T;
  return {
    getItem: <T>(key: string) => turn(() => copy<T | undefined>(key) ?? null),
    setItem: (key, value) =>
      turn(() => {
        kept.set(key, structuredClone(value));
        return value;
      }),
    removeItem: (key) => turn(() => void kept.delete(key)),
    update: (keys, change) =>
      turn(() => {
        for (const [key, value] of change(keys.map(copy))) {
          if (value === undefined) kept.delete(key);
          else kept.set(key, structuredClone(value));
        }
      }),
    entries: <T>(prefix: string) => turn(() => starting(prefix).map((key): [string, T] => [key, copy<T>(key)])),
    trim: (prefix, most) =>
      turn(() => {
        const found = starting(prefix);
        for (const key of found.slice(0, Math.max(0, found.length - most))) kept.delete(key);
        return starting(prefix).length;
      }),
  };
}
