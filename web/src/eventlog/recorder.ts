import type { Middleware } from "@reduxjs/toolkit";
import type {
  CheckpointType,
  EffectPayload,
  Header,
  InputOrigin,
  Kind,
  Origin,
  SnapshotLine,
  SnapshotType,
} from "./envelope";
import { stateHash } from "./hash";
import type { Instant } from "./turns";

/** Where lines go. Nothing here may throw or wait: a dispatch stands behind it. */
export interface Sink {
  /** Begins a log with its header. */
  begin(header: Header, text: string): void;
  /** Takes one line, without its line break. */
  write(text: string, kind: Kind, seq: number): void;
  /** What the sink would have the recorder write between turns: a new segment's snapshot, or the end of a gap. */
  wants(): "nothing" | "snapshot" | { readonly from: number; readonly reason: string };
  /** Settles once everything written so far is durable; rejects if it could not be stored. */
  flush(): Promise<void>;
}

/** How much was recorded since page load. */
export interface RecorderCounters {
  readonly lines: number;
  readonly actions: number;
  readonly effects: number;
  readonly checkpoints: number;
  readonly gaps: number;
}

/** What a recorder is built on. */
export interface RecorderOptions {
  readonly sink: Sink;
  now(): Instant;
  versionOf(type: string): number;
  /** The shape version of a slice, from 1. */
  shapeOf(slice: string): number;
}

/** LOG-1. Writes a log, line by line. */
export interface Recorder {
  /** The outermost middleware: an action's line is written before anything reacts to it. */
  readonly middleware: Middleware;
  /** Says where the action dispatched next comes from; without a word it is a saga's. */
  nextComesFrom(origin: InputOrigin): void;
  effect(origin: Origin, method: string, payload: EffectPayload, call: string): void;
  checkpoint(type: CheckpointType, state: object, open: readonly string[]): void;
  snapshot(type: SnapshotType, payload: SnapshotLine["payload"]): void;
  /** Tells that the lines from `from` to the last one are lost. */
  gap(from: number, reason: string): void;
  /** Actions since the last checkpoint. */
  unchecked(): number;
  /** The `seq` of the last line. */
  seq(): number;
  counters(): RecorderCounters;
}

/** A slice's hash as a checkpoint tells it: its shape version, then the hash. */
export const sliceHash = (shape: number, value: unknown): string => `${shape}:${stateHash(value)}`;

/** Starts recording. */
export function createRecorder({ sink, now, versionOf, shapeOf }: RecorderOptions): Recorder {
  const written: Record<Kind, number> = { action: 0, effect: 0, checkpoint: 0, gap: 0, snapshot: 0 };
  let seq = 0;
  let unchecked = 0;
  let checked: Readonly<Record<string, unknown>> = {};
  let next: InputOrigin | null = null;

  function line(kind: Kind, origin: Origin, type: string, version: number, payload: unknown, call?: string): void {
    const { at, mono } = now();
    const number = seq + 1;
    const text = JSON.stringify({ seq: number, at, mono, kind, origin, type, type_version: version, payload, call });
    seq = number;
    written[kind] += 1;
    sink.write(text, kind, seq);
  }

  return {
    middleware: () => (dispatch) => (action) => {
      const origin = next ?? "saga";
      next = null;
      const { type, payload } = action as { type: unknown; payload?: unknown };
      // Redux itself refuses what has no type.
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
    checkpoint(type, state, open) {
      const slices: Record<string, string> = {};
      const present = state as Readonly<Record<string, unknown>>;
      for (const name of Object.keys(present)) {
        if (present[name] !== checked[name]) slices[name] = sliceHash(shapeOf(name), present[name]);
      }
      checked = present;
      unchecked = 0;
      line("checkpoint", "saga", type, 1, { slices, open });
    },
    snapshot(type, payload) {
      checked = payload.state;
      unchecked = 0;
      line("snapshot", "storage", type, 1, payload);
    },
    gap(from, reason) {
      line("gap", "storage", "lost", 1, { from, to: seq, reason });
    },
    unchecked: () => unchecked,
    seq: () => seq,
    counters: () => ({
      lines: seq,
      actions: written.action,
      effects: written.effect,
      checkpoints: written.checkpoint,
      gaps: written.gap,
    }),
  };
}
