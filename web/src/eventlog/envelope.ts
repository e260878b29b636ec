import type { PortErrorJson } from "../ports/error";

/** The format name of a recorded action log. */
export const FORMAT = "touchline-log";
/** The only version that this build reads. */
export const VERSION = 2;

/** Maximum number of actions between two checkpoints; the checkpoint follows at the end of the turn. */
export const CHECKPOINT_INTERVAL = 50;

/** The source of a line. Only `saga` comes from the program itself; everything else came from outside. */
export type Origin = "ui" | "sync" | "api" | "timer" | "saga" | "storage";
export type InputOrigin = Exclude<Origin, "saga">;
export type Kind = "action" | "effect" | "checkpoint" | "gap" | "snapshot";

export const ORIGINS: readonly Origin[] = ["ui", "sync", "api", "timer", "saga", "storage"];
export const KINDS: readonly Kind[] = ["action", "effect", "checkpoint", "gap", "snapshot"];

/** The header's facts about the program and the page. */
export interface HeaderFacts {
  /** The recording build, as its bundle names itself. */
  readonly build: string;
  /** The channel's key name, as in `fixtures/channels`; never the secret key. */
  readonly channel: string;
  readonly locale: string;
  /** Width and height of the window at page load, in CSS pixels; earlier builds recorded none. */
  readonly window?: readonly [width: number, height: number];
}

/** Line 1 of a log. */
export interface Header extends HeaderFacts {
  readonly format: typeof FORMAT;
  readonly v: typeof VERSION;
  /** Time of the page load, in Unix milliseconds. */
  readonly started_at: number;
  /** The initial state; `null` means the reducer's own, or that of the following `snapshot` line. */
  readonly snapshot: State | null;
}

/** A root state: one value per slice. */
export type State = Readonly<Record<string, unknown>>;

interface Common {
  /** Starts at 1 at page load and increases by 1 per line. Only a `gap` may skip numbers. */
  readonly seq: number;
  /** The turn's instant in Unix milliseconds; may go back. */
  readonly at: number;
  /** Milliseconds since page load; never decreases. */
  readonly mono: number;
  readonly origin: Origin;
  readonly type: string;
  /** The payload's shape version, from 1; files omit 1. */
  readonly type_version: number;
  /** The reader's finding that the line, or a blob it refers to, was changed. Never in a file. */
  readonly edited?: string;
}

/** An action, written before its reducer ran. */
export interface ActionLine extends Common {
  readonly kind: "action";
  readonly payload: unknown;
}

/**
 * A port's answer. `args` is the digest of the call's arguments; `took` is the time that a call of the API was open, in
 * milliseconds, if any.
 */
export type EffectPayload = ({ readonly ok: unknown } | { readonly err: PortErrorJson }) & {
  readonly args?: string;
  readonly took?: number;
};

/** A port's answer; `type` is its method. */
export interface EffectLine extends Common {
  readonly kind: "effect";
  readonly payload: EffectPayload;
  /** `<method>:<identity>#<n>`. */
  readonly call: string;
}

/**
 * The reason for a checkpoint: action count, idle time, a turn that threw, a request, or a new segment, whose snapshot
 * stands between two.
 */
export type CheckpointType = "counted" | "idle" | "crashed" | "requested" | "rotated";

/** The hashes of the slices that changed since the last checkpoint, and the open calls. */
export interface CheckpointLine extends Common {
  readonly kind: "checkpoint";
  readonly payload: {
    readonly slices: Readonly<Record<string, string>>;
    readonly open: readonly string[];
    /** The hash of its own text and of all lines before it, back to a gap, a snapshot or the header. */
    readonly covers: string;
  };
}

/** Lines that couldn't be stored: `from` and `to` are the first and last `seq` among them. */
export interface GapLine extends Common {
  readonly kind: "gap";
  readonly payload: { readonly from: number; readonly to: number; readonly reason: string };
}

/** The reason for a snapshot: a page load with a recovered state, a new segment, the end of a gap. */
export type SnapshotType = "started" | "rotated" | "resumed";

/** The whole state, and the number of calls per name. */
export interface SnapshotLine extends Common {
  readonly kind: "snapshot";
  readonly payload: SnapshotPayload;
}

export interface SnapshotPayload {
  readonly state: State;
  readonly counters: Readonly<Record<string, number>>;
  readonly open: readonly string[];
  /** The hash of each slice, as in a checkpoint. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** Any line of a log but the first. */
export type Line = ActionLine | EffectLine | CheckpointLine | GapLine | SnapshotLine;
