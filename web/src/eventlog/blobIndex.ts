import type { Blob } from "./blobs";

/** Which blobs a stored log has, and which of its lines needs each of them last. */
export interface BlobIndex {
  holds(hash: string): boolean;
  /** Takes in the blobs that a line brought, and that it needs those that it refers to. */
  put(blobs: readonly Blob[], refs: readonly string[], seq: number): void;
  /** These could not be stored. */
  lose(hashes: Iterable<string>): void;
  /** Gives up, and tells, those that no line from `seq` on needs. */
  takeUnused(seq: number): string[];
}

interface Held {
  readonly refs: readonly string[];
  /** The `seq` of the last line that needs it. */
  last: number;
}

/** An empty one. */
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
