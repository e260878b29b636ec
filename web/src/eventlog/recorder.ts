import type { Middleware } from "@reduxjs/toolkit";
import { type Blob, createBlobWriter } from "./blobs";
import { createRunningCheck, type RunningCheck } from "./check";
import type {
  CheckpointLine,
  CheckpointType,
  EffectPayload,
  Header,
  InputOrigin,
  Kind,
  Origin,
  SnapshotPayload,
  SnapshotType,
  State,
} from "./envelope";
import { hasCachedHash, stateHash } from "./hash";
import { isBig, partsOf } from "./parts";
import type { Instant } from "./turns";

/** A line as a sink receives it. */
export interface WrittenLine {
  /** Without its line break. */
  readonly text: string;
  readonly kind: Kind;
  readonly seq: number;
  /** The blobs that it refers to. */
  readonly refs: readonly string[];
  /** Blobs, direct or nested, that the sink lacks. */
  readonly blobs: readonly Blob[];
}

/** The destination of lines. Nothing here may throw or wait. */
export interface Sink {
  /** Starts a log with its header. */
  begin(header: Header, text: string): void;
  /** Writes one line, with the blobs that it is the first to refer to. */
  write(line: WrittenLine): void;
  /** Whether the sink has a blob, or will have it before any line written from now on. */
  holds(hash: string): boolean;
  /** The sink's next request between turns: a new segment's snapshot, or the end of a gap. */
  wants(): "nothing" | "snapshot" | { readonly from: number; readonly reason: string };
  /** Settles once everything written so far is durable; rejects if it couldn't be stored. */
  flush(): Promise<void>;
}

/** Calls `run` later, off the dispatch path and outside any turn; `run` continues while `goesOn` returns true. */
export type Defer = (run: (goesOn: () => boolean) => void) => void;

export interface RecorderOptions {
  readonly sink: Sink;
  now(): Instant;
  versionOf(type: string): number;
  /** The shape version of a slice, from 1. */
  shapeOf(slice: string): number;
  /** Absent: each line is written at once. */
  readonly defer?: Defer;
  /** Receives values that aren't JSON and can't be written. */
  report(error: unknown): void;
}

/** LOG-1. Records lines and writes them when there is time: their contents are immutable. */
export interface Recorder {
  begin(header: Header): void;
  /** The outermost middleware: an action is recorded before anything reacts to it. */
  readonly middleware: Middleware;
  /** Sets the origin of the next dispatched action; the default is a saga. */
  nextComesFrom(origin: InputOrigin): void;
  effect(origin: Origin, method: string, payload: EffectPayload, call: string): void;
  checkpoint(type: CheckpointType, state: object, open: readonly string[]): void;
  snapshot(type: SnapshotType, payload: Omit<SnapshotPayload, "hashes">): void;
  /** Writes the sink's request, unless that is in progress. A snapshot is between two checkpoints. */
  writeRequested(state: () => Omit<SnapshotPayload, "hashes">): void;
  /** Writes every waiting line. */
  drain(): void;
  /** Settles once every line so far is written, in several steps. */
  settled(): Promise<void>;
  /** Actions since the last checkpoint. */
  unchecked(): number;
  /** The `seq` of the last line. */
  seq(): number;
}

/** A line to be written. */
interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly mono: number;
  readonly kind: Kind;
  readonly origin: Origin;
  readonly type: string;
  readonly type_version: number;
  readonly call: string | undefined;
  readonly payload: unknown;
}

/** A checkpoint to be written: its hashes are computed on writing. */
interface CheckpointWork {
  readonly state: Readonly<Record<string, unknown>>;
  readonly before: Readonly<Record<string, unknown>>;
  readonly open: readonly string[];
}

const changedSlices = ({ state, before }: CheckpointWork): State =>
  Object.fromEntries(Object.entries(state).filter(([name, slice]) => slice !== before[name]));

/** Maximum number of waiting lines; beyond it, each new line writes some of them. */
const MAX_WAITING = 5_000;
/** Writing steps per dispatch beyond that limit: more than one, so that the queue shrinks. */
const STEPS_PER_DISPATCH = 4;

/** A slice's hash in a checkpoint: its shape version, then the hash. */
export const sliceHash = (shape: number, value: unknown): string => `${shape}:${stateHash(value)}`;

export function createRecorder({ sink, now, versionOf, shapeOf, defer, report }: RecorderOptions): Recorder {
  const blobs = createBlobWriter(sink.holds);
  let check: RunningCheck | undefined;
  let waiting: Entry[] = [];
  // The first waiting line, while it is written step by step.
  let pending: Generator<void> | undefined;
  let isDeferred = false;
  // A snapshot or gap is among the waiting lines; the sink still requests it until it is written.
  let isWritingRequested = false;
  let seq = 0;
  let unchecked = 0;
  let checked: Readonly<Record<string, unknown>> = {};
  let next: InputOrigin | null = null;

  function line(kind: Kind, origin: Origin, type: string, type_version: number, payload: unknown, call?: string): void {
    const { at, mono } = now();
    seq += 1;
    waiting.push({ seq, at, mono, kind, origin, type, type_version, call, payload });
    if (!defer) drain();
    else if (waiting.length > MAX_WAITING) drain(goesOnFor(STEPS_PER_DISPATCH));
    if (defer && !isDeferred) scheduleWrite(defer);
  }

  function scheduleWrite(later: Defer): void {
    isDeferred = true;
    later((goesOn) => {
      isDeferred = false;
      drain(goesOn);
      if (waiting.length > 0) scheduleWrite(later);
    });
  }

  const goesOnFor = (steps: number) => (): boolean => --steps > 0;

  function drain(goesOn?: () => boolean): void {
    let done = 0;
    while (done < waiting.length) {
      pending ??= steps(waiting[done] as Entry, goesOn !== undefined);
      if (pending.next().done) {
        pending = undefined;
        done += 1;
      }
      if (goesOn && !goesOn()) break;
    }
    waiting = waiting.slice(done);
  }

  /** Writes a line. Long or changed parts are prepared first, part by part. */
  function* steps(entry: Entry, isParted: boolean): Generator<void> {
    try {
      if (isParted) yield* prepared(entry);
    } catch {
      // A value that isn't JSON is reported when its line is written.
    }
    write(entry);
  }

  function* prepared({ kind, payload }: Entry): Generator<void> {
    const isHashed = kind === "checkpoint";
    const value = isHashed ? changedSlices(payload as CheckpointWork) : payload;
    if (!isBig(value)) return;
    for (const part of partsOf(value, isHashed ? hasCachedHash : blobs.isKnownBlob)) {
      if (isHashed) stateHash(part);
      else blobs.prepare(part);
      yield;
    }
  }

  function write(entry: Entry): void {
    const { seq, at, mono, kind, origin, type, type_version, call } = entry;
    if (kind === "gap" || kind === "snapshot") isWritingRequested = false;
    const version = type_version === 1 ? {} : { type_version };
    const head = JSON.stringify({ seq, at, mono, kind, origin, type, ...version });
    const { text, refs, blobs: fresh } = written(valueOf(entry));
    const named = call === undefined ? "" : `,"call":${JSON.stringify(call)}`;
    const fields = `${head.slice(0, -1)},"payload":${text}${named}`;
    const covered = kind === "checkpoint" ? check?.covering(fields.slice(0, -1)) : fields;
    sink.write({ text: check?.ended(kind, covered ?? fields) ?? fields, kind, seq, refs, blobs: fresh });
  }

  function valueOf({ kind, payload }: Entry): unknown {
    if (kind === "checkpoint") return hashed(payload as CheckpointWork);
    return kind === "snapshot" ? withHashes(payload as Omit<SnapshotPayload, "hashes">) : payload;
  }

  function written(payload: unknown) {
    try {
      return blobs.write(payload);
    } catch (error) {
      report(error);
      return blobs.write(null);
    }
  }

  const hashesOf = (slices: State): Record<string, string> =>
    Object.fromEntries(Object.entries(slices).map(([name, slice]) => [name, sliceHash(shapeOf(name), slice)]));

  const hashed = (work: CheckpointWork): Omit<CheckpointLine["payload"], "covers"> => ({
    slices: hashesOf(changedSlices(work)),
    open: work.open,
  });

  const withHashes = (payload: Omit<SnapshotPayload, "hashes">): SnapshotPayload => ({
    ...payload,
    hashes: hashesOf(payload.state),
  });

  function snapshot(type: SnapshotType, payload: Omit<SnapshotPayload, "hashes">): void {
    checked = payload.state;
    unchecked = 0;
    line("snapshot", "storage", type, 1, payload);
  }

  function checkpoint(type: CheckpointType, state: object, open: readonly string[]): void {
    const present = state as Readonly<Record<string, unknown>>;
    const work: CheckpointWork = { state: present, before: checked, open };
    checked = present;
    unchecked = 0;
    line("checkpoint", "saga", type, 1, work);
  }

  return {
    begin(header) {
      const text = JSON.stringify(header);
      check = createRunningCheck(text);
      sink.begin(header, text);
    },
    middleware: () => (dispatch) => (action) => {
      const origin = next ?? "saga";
      next = null;
      const { type, payload } = action as { type: unknown; payload?: unknown };
      // Redux itself refuses an action without a type.
      if (typeof type === "string") {
        unchecked += 1;
        line("action", origin, type, versionOf(type), payload ?? null);
      }
      return dispatch(action);
    },
    nextComesFrom(origin) {
      next = origin;
    },
    effect(origin, method, payload, call) {
      line("effect", origin, method, versionOf(method), payload, call);
    },
    checkpoint,
    snapshot,
    writeRequested(state) {
      const request = isWritingRequested ? "nothing" : sink.wants();
      if (request === "nothing") return;
      isWritingRequested = true;
      const payload = state();
      if (request === "snapshot") checkpoint("rotated", payload.state, payload.open);
      else line("gap", "storage", "lost", 1, { from: request.from, to: seq, reason: request.reason });
      snapshot(request === "snapshot" ? "rotated" : "resumed", payload);
      // A log may end, or be cut, right after the snapshot: it is covered at once.
      checkpoint("rotated", payload.state, payload.open);
    },
    drain: () => drain(),
    async settled() {
      const upTo = seq;
      while (defer && waiting[0] && waiting[0].seq <= upTo) await new Promise<void>((next) => defer(() => next()));
    },
    unchecked: () => unchecked,
    seq: () => seq,
  };
}
