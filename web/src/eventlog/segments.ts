import { createBlobIndex } from "./blobIndex";
import type { Header } from "./envelope";
import type { Sink, WrittenLine } from "./recorder";
import { blobKey, chunkKey, factsKey, type LogFacts, type LogStorage } from "./stored-log";

/** Limits on writes and on stored logs. */
export interface SegmentLimits {
  /** Characters of a chunk, which is rewritten as it grows. */
  readonly chunk: number;
  /** Maximum characters in a segment, including the blobs it references first and excluding its snapshot. */
  readonly segment: number;
  /** Segments stored per log. */
  readonly segments: number;
  /** Characters that may wait for a storage that doesn't answer. */
  readonly pending: number;
  /** The wait after a failed write, in milliseconds; doubles up to `longestRetry`. */
  readonly firstRetry: number;
  readonly longestRetry: number;
}

const LIMITS: SegmentLimits = {
  chunk: 16 * 1024,
  segment: 256 * 1024,
  segments: 48,
  pending: 4 * 1024 * 1024,
  firstRetry: 1_000,
  longestRetry: 60_000,
};

export interface SegmentOptions {
  readonly storage: LogStorage;
  /** Names the log; no two page loads share one. */
  readonly log: string;
  /** Names the tab. */
  readonly tab: string;
  /** Calls `run` soon, off the dispatch path and never inside a turn. */
  defer(run: () => void): void;
  /** Calls `run` after `ms` milliseconds. */
  after(ms: number, run: () => void): void;
  /** Frees space in a full storage by removing older logs; returns whether it did. */
  makeRoom?(): Promise<boolean>;
  readonly limits?: Partial<SegmentLimits>;
}

/** A sink that stores its log in segments, each of which starts with a snapshot (the first with the page load). */
export interface SegmentedSink extends Sink {
  /**
   * Requests a snapshot after the line with that `seq`, and deletes earlier lines once it is stored (LOG-4). Nothing
   * counts as durable in between.
   */
  restart(seq: number): void;
  /** Records that the page closes normally. */
  close(): Promise<void>;
}

interface Chunk {
  readonly key: string;
  text: string;
  /** The texts of its lines' new blobs that aren't stored yet, by hash. */
  readonly blobs: Map<string, string>;
  /** Characters of its blobs. */
  blobSize: number;
  /** The `seq` of its last line. */
  last: number;
  /** Whether it is stored or being stored. */
  begun: boolean;
}

interface Segment {
  readonly number: number;
  /** The `seq` of its first line. */
  first: number;
  /** The keys of its chunks, oldest first. */
  readonly keys: string[];
}

interface Waiter {
  readonly seq: number;
  resolve(): void;
  reject(error: Error): void;
}

export function createSegmentedSink(options: SegmentOptions): SegmentedSink {
  const { storage, log, tab } = options;
  const limits = { ...LIMITS, ...options.limits };
  let facts: LogFacts | undefined;
  let factsStored = true;
  /** Chunks with lines that aren't stored yet; the last one grows. */
  let chunks: Chunk[] = [];
  /** The stored segments, oldest first. */
  let segments: Segment[] = [{ number: 0, first: 1, keys: [] }];
  const blobIndex = createBlobIndex();
  let grown = 0;
  /** The number of the current viewer's first segment. */
  let firstRetained = 0;
  /** The last line of a viewer who left, until the snapshot after it is written. */
  let lastPreviousViewer: number | null = null;
  let written = 0;
  let stored = 0;
  let writing = false;
  let scheduled = false;
  let retry = limits.firstRetry;
  let down: { readonly reason: string; ready: boolean } | undefined;
  let waiters: Waiter[] = [];

  const newest = () => segments.at(-1) as Segment;

  function openSegment(first: number): void {
    grown = 0;
    if (newest().keys.length > 0) segments.push({ number: newest().number + 1, first, keys: [] });
    else newest().first = first;
  }

  function growingChunk(): Chunk {
    const { number, keys } = newest();
    const tail = chunks.at(-1);
    if (tail && tail.key === keys.at(-1)) return tail;
    const key = chunkKey(log, number, keys.length);
    const chunk: Chunk = { key, text: "", blobs: new Map(), blobSize: 0, last: 0, begun: false };
    keys.push(chunk.key);
    chunks.push(chunk);
    return chunk;
  }

  function append({ text, kind, seq, refs, blobs }: WrittenLine): void {
    if (kind === "snapshot") {
      openSegment(seq);
      if (lastPreviousViewer !== null && seq > lastPreviousViewer) {
        firstRetained = newest().number;
        lastPreviousViewer = null;
      }
    }
    const chunk = growingChunk();
    const sizeBefore = chunk.text.length + chunk.blobSize;
    chunk.text += `${text}\n`;
    chunk.last = seq;
    blobIndex.put(blobs, refs, seq);
    for (const blob of blobs) {
      chunk.blobs.set(blob.hash, blob.text);
      chunk.blobSize += blob.text.length;
    }
    if (kind !== "snapshot") grown += chunk.text.length + chunk.blobSize - sizeBefore;
    if (chunks.reduce((sum, waiting) => sum + waiting.text.length + waiting.blobSize, 0) > limits.pending)
      fail("Stalled");
    schedule();
  }

  function schedule(): void {
    if (scheduled || writing) return;
    scheduled = true;
    options.defer(() => {
      scheduled = false;
      void drain();
    });
  }

  async function drain(): Promise<void> {
    if (writing) return;
    writing = true;
    while (!down && isStalled()) {
      try {
        await storeNext();
        retry = limits.firstRetry;
      } catch (error) {
        if (!(await freeSpace())) fail(error instanceof Error ? error.name : "Unknown");
      }
    }
    await forgetOldSegments();
    writing = false;
    if (!down && isStalled()) schedule();
  }

  const isStalled = (): boolean => !factsStored || stored < written || hasExpiredSegments();

  /** Whether segments of an earlier viewer are stored beside the current viewer's snapshot. */
  function hasExpiredSegments(): boolean {
    const retained = segments.find(({ number }) => number >= firstRetained);
    return retained !== undefined && retained !== segments[0] && stored >= retained.first;
  }

  // Runs between turns, so that the stored log always ends at a turn's end.
  async function storeNext(): Promise<void> {
    if (!factsStored) await storeFacts();
    else if (hasExpiredSegments()) await forgetOldest(1);
    else await storeChunk();
    settle();
  }

  async function storeFacts(): Promise<void> {
    const latest = facts;
    await storage.setItem(factsKey(log), latest);
    factsStored = facts === latest;
  }

  async function storeChunk(): Promise<void> {
    const chunk = chunks.find(({ last }) => last > stored);
    if (!chunk) return;
    const { last, begun } = chunk;
    const sent = entriesOf(chunk);
    chunk.begun = true;
    try {
      await storage.update([], () => sent);
    } catch (error) {
      chunk.begun = begun;
      throw error;
    }
    stored = last;
    for (const [hash, text] of chunk.blobs) {
      if (!sent.has(blobKey(log, hash))) continue;
      chunk.blobs.delete(hash);
      chunk.blobSize -= text.length;
    }
    const isFull = chunk.text.length >= limits.chunk && chunk.last === last;
    const tail = isFull ? undefined : chunks.at(-1);
    chunks = chunks.filter((other) => other.last > stored || other === tail);
  }

  /** A chunk's entries: its lines, and their new blobs. */
  function entriesOf({ key, text, blobs }: Chunk): Map<string, unknown> {
    return new Map([[key, text], ...[...blobs].map(([hash, value]) => [blobKey(log, hash), value] as const)]);
  }

  function settle(): void {
    if (lastPreviousViewer !== null || hasExpiredSegments()) return;
    const done = waiters.filter(({ seq }) => seq <= stored);
    waiters = waiters.filter(({ seq }) => seq > stored);
    for (const waiter of done) waiter.resolve();
  }

  async function freeSpace(): Promise<boolean> {
    try {
      return ((await options.makeRoom?.()) ?? false) || (await forgetOldest(1));
    } catch {
      return false;
    }
  }

  function fail(reason: string): void {
    const outage = { reason, ready: false };
    down = outage;
    discard(chunks.filter(({ begun }) => !begun).map(({ key }) => key));
    for (const { blobs } of chunks) blobIndex.lose(blobs.keys());
    chunks = [];
    const refused = waiters;
    waiters = [];
    for (const waiter of refused) waiter.reject(notStored(reason));
    options.after(retry, () => {
      outage.ready = true;
    });
    retry = Math.min(retry * 2, limits.longestRetry);
  }

  /** Discards keys that were never written: a segment of nothing else would count as space that can be freed. */
  function discard(keys: readonly string[]): void {
    segments = segments
      .map((segment) => ({ ...segment, keys: segment.keys.filter((key) => !keys.includes(key)) }))
      .filter((segment, index, all) => segment.keys.length > 0 || index === all.length - 1);
  }

  const notStored = (reason: string): Error => new Error(`the action log could not be stored: ${reason}`);

  async function forgetOldSegments(): Promise<void> {
    try {
      while (segments.length > limits.segments && (await forgetOldest(limits.segments)));
    } catch {
      // The oldest segment stays, and is removed after a later write.
    }
  }

  /** Removes the oldest segment if more than `least` would remain. */
  async function forgetOldest(minimum: number): Promise<boolean> {
    const oldest = segments[0];
    if (!oldest || segments.length <= minimum) return false;
    // Unwritten lines must not return to a removed segment.
    if (chunks.some(({ key }) => oldest.keys.includes(key))) return false;
    const unused = blobIndex.removeUnused(segments[1]?.first ?? 0).map((hash) => blobKey(log, hash));
    await storage.update([], () => new Map([...oldest.keys, ...unused].map((key) => [key, undefined])));
    segments.shift();
    return true;
  }

  const unstored = (): ReadonlyMap<string, unknown> =>
    new Map<string, unknown>([
      [factsKey(log), facts],
      ...chunks.filter(({ last }) => last > stored).flatMap((chunk) => [...entriesOf(chunk)]),
    ]);

  function setClosed(closed: boolean): void {
    if (!facts) return;
    facts = { ...facts, closed };
    factsStored = false;
  }

  function flush(): Promise<void> {
    if (down) return Promise.reject(notStored(down.reason));
    if (!isStalled()) return Promise.resolve();
    schedule();
    return new Promise((resolve, reject) => waiters.push({ seq: written, resolve, reject }));
  }

  return {
    begin(header: Header) {
      facts = { log, tab, header, closed: false };
      factsStored = false;
      schedule();
    },
    holds: blobIndex.holds,
    write(line) {
      const { kind, seq } = line;
      written = seq;
      // A page restored from the back-forward cache continues its log.
      if (facts?.closed) setClosed(false);
      if (down && kind !== "gap") return;
      down = undefined;
      append(line);
    },
    wants() {
      // Not before the last write has settled, which shows what is lost.
      if (down) return down.ready && !writing ? { from: stored + 1, reason: down.reason } : "nothing";
      return lastPreviousViewer !== null || grown >= limits.segment ? "snapshot" : "nothing";
    },
    restart(seq) {
      lastPreviousViewer = seq;
    },
    flush,
    async close() {
      setClosed(true);
      // A closing page may not live to see the current write succeed, or to start the next.
      if (!down) storage.leave?.(unstored());
      await flush();
    },
  };
}
