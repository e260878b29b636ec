import type { Blob } from "./blobs";

/** The blobs of a stored log, and the last line that needs each of them. */
export interface BlobIndex {
  holds(hash: string): boolean;
  /** Adds a line's new blobs, and marks those it refers to as needed. */
  put(blobs: readonly Blob[], refs: readonly string[], seq: number): void;
  /** Marks blobs that couldn't be stored. */
  lose(hashes: Iterable<string>): void;
  /** Removes and returns the blobs that no line from `seq` on needs. */
  takeUnused(seq: number): string[];
}

interface Held {
  readonly refs: readonly string[];
  /** The `seq` of the last line that needs it. */
  last: number;
}

export function createBlobIndex(): BlobIndex {
  const held = new Map<string, Held>();

  function need(hash: string, seq: number): void {
    const blob = held.get(hash);
    if (!blob || blob.last === seq) return;
    blob.last = seq;
    for (const inner of blob.refs) need(inner, seq);
  }

  return {
    holds: (hash) => held.has(hash),
    put(blobs, refs, seq) {
      for (const { hash, refs: inner } of blobs) held.set(hash, { refs: inner, last: 0 });
      for (const hash of refs) need(hash, seq);
    },
    lose(hashes) {
      for (const hash of hashes) held.delete(hash);
    },
    takeUnused(seq) {
      const unused = [...held].filter(([, { last }]) => last < seq).map(([hash]) => hash);
      for (const hash of unused) held.delete(hash);
      return unused;
    },
  };
}
