import type { LogStorage } from "../eventlog/stored-log";
import { loadMemory, openDatabase } from "../storage/database";

/**
 * Recorded action logs, in segments. A separate database: logs are large, and when they fill the disk nothing else
 * stops.
 */
export function openLogStorage(): LogStorage {
  const lines = openDatabase("touchline-log", ["lines"], { load: loadMemory }).store("lines");
  return {
    getItem: (key) => lines.getItem(key),
    setItem: (key, value) => lines.setItem(key, value),
    removeItem: (key) => lines.removeItem(key),
    keys: () => lines.keys(),
    entries: (prefix) => lines.entries(prefix),
    update: (keys, entries) => lines.update(keys, entries),
    // The regular writes are in progress as well: this one only makes sure.
    leave: (entries) => void lines.update([], () => entries).catch(() => undefined),
  };
}
