import type { Header } from "./envelope";

/** What logs are stored in: a localforage instance is one, and so is any map of keys to values. */
export interface LogStorage {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: unknown): Promise<unknown>;
  removeItem(key: string): Promise<void>;
  keys(): Promise<string[]>;
  /** The entries whose keys begin so, in the order of their keys, as they are at one moment. */
  entries(prefix: string): Promise<[string, unknown][]>;
  /** Stores all entries or none; undefined removes. */
  update(keys: readonly [], entries: () => ReadonlyMap<string, unknown>): Promise<void>;
  /** Stores entries of a page that is going away: without a wait, and whole even if the page is gone before an answer. */
  leave?(entries: ReadonlyMap<string, unknown>): void;
}

/** What is stored beside a log's lines. */
export interface LogFacts {
  /** Names the log; one page load has one. */
  readonly log: string;
  /** Names the tab that writes it. */
  readonly tab: string;
  readonly header: Header;
  /** Whether its page went away in peace. */
  readonly closed: boolean;
}

const padded = (count: number): string => String(count).padStart(8, "0");

/** The key of a log's facts. */
export const factsKey = (log: string): string => `${log}/facts`;

/** The key of a chunk of lines: the keys of a log sort as its lines were written. */
export const chunkKey = (log: string, segment: number, chunk: number): string =>
  `${log}/lines/${padded(segment)}/${padded(chunk)}`;

/** The log whose facts a key holds; undefined for other keys. */
export function logOfFacts(key: string): string | undefined {
  const [log, facts, ...rest] = key.split("/");
  return facts === "facts" && rest.length === 0 ? log : undefined;
}

/** What the keys of a log's entries begin with. */
export const logPrefix = (log: string): string => `${log}/`;

/** Whether a key holds lines of this log. */
export const isChunkOf = (log: string, key: string): boolean => key.startsWith(`${log}/lines/`);

/** The key of a blob that lines of a log refer to; it holds the blob's text. */
export const blobKey = (log: string, hash: string): string => `${log}/blobs/${hash}`;

/** The hash of the blob of this log that a key holds; undefined for other keys. */
export function blobOf(log: string, key: string): string | undefined {
  const start = blobKey(log, "");
  return key.startsWith(start) ? key.slice(start.length) : undefined;
}
