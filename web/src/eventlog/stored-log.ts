import type { Header } from "./envelope";

/** The storage of logs: a localforage instance, or any map of keys to values. */
export interface LogStorage {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: unknown): Promise<unknown>;
  removeItem(key: string): Promise<void>;
  keys(): Promise<string[]>;
  /** The entries whose keys start with `prefix`, in key order, as of one moment. */
  entries(prefix: string): Promise<[string, unknown][]>;
  /** Stores all entries or none; undefined removes. */
  update(keys: readonly [], entries: () => ReadonlyMap<string, unknown>): Promise<void>;
  /** Stores the entries of a closing page: without a wait, and complete even if the page is gone before an answer. */
  leave?(entries: ReadonlyMap<string, unknown>): void;
}

/** The metadata stored beside a log's lines. */
export interface LogFacts {
  /** Names the log; one page load has one. */
  readonly log: string;
  /** Names the tab that writes it. */
  readonly tab: string;
  readonly header: Header;
  /** Whether its page closed normally. */
  readonly closed: boolean;
}

const padded = (count: number): string => String(count).padStart(8, "0");

export const factsKey = (log: string): string => `${log}/facts`;

/** The key of a chunk of lines: the keys of a log sort in the order of its lines. */
export const chunkKey = (log: string, segment: number, chunk: number): string =>
  `${log}/lines/${padded(segment)}/${padded(chunk)}`;

/** The log whose facts a key holds; undefined for other keys. */
export function logOfFacts(key: string): string | undefined {
  const [log, facts, ...rest] = key.split("/");
  return facts === "facts" && rest.length === 0 ? log : undefined;
}

export const logPrefix = (log: string): string => `${log}/`;

/** Whether a key holds lines of this log. */
export const isChunkOf = (log: string, key: string): boolean => key.startsWith(`${log}/lines/`);

/** The key of a blob's text. */
export const blobKey = (log: string, hash: string): string => `${log}/blobs/${hash}`;

/** The hash of this log's blob under a key; undefined for other keys. */
export function blobOf(log: string, key: string): string | undefined {
  const start = blobKey(log, "");
  return key.startsWith(start) ? key.slice(start.length) : undefined;
}
