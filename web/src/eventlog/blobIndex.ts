import type { Blob } from "./blobs";

/** The blobs of a stored log, and the last line that needs each of them. */
export interface BlobIndex {
  holds(hash: string): boolean;
  /** Adds a line's new blobs, and marks those it refers to as needed. */
  put(blobs: readonly Blob[], refs: readonly string[], seq: number): void;
  /** Marks blobs that couldn't be stored. */
  lose(hashes: Iterable<string>): void;
  /** Removes and returns the blobs that no line from `seq` on needs. */
  removeUnused(seq: number): string[];
}

interface Entry {
  readonly refs: readonly string[];
  /** The `seq` of the last line that needs it. */
  last: number;
}

export function createBlobIndex(): BlobIndex {
  const entries = new Map<string, Entry>();

  function need(hash: string, seq: number): void {
    const blob = entries.get(hash);
    if (!blob || blob.last === seq) return;
    blob.last = seq;
    for (const inner of blob.refs) need(inner, seq);
  }

  return {
    holds: (hash) => entries.has(hash),
    put(blobs, refs, seq) {
      for (const { hash, refs: inner } of blobs) entries.set(hash, { refs: inner, last: 0 });
      for (const hash of refs) need(hash, seq);
    },
    lose(hashes) {
      for (const hash of hashes) entries.delete(hash);
    },
    removeUnused(seq) {
      const unused = [...entries].filter(([, { last }]) => last < seq).map(([hash]) => hash);
      for (const hash of unused) entries.delete(hash);
      return unused;
    },
  };
}
