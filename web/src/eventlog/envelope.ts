import type { PortErrorJson } from "../ports/error";

/** What a recorded action log calls itself. */
export const FORMAT = "touchline-log";
/** The only version that this build reads. */
export const VERSION = 2;

/** How many actions may pass between two checkpoints, to the end of a turn. */
export const CHECKPOINT_EVERY = 50;

/** Where a line came from. `saga` alone is made by the program itself; everything else came from outside. */
export type Origin = "ui" | "sync" | "api" | "timer" | "saga" | "storage";
/** Where an input may come from. */
export type InputOrigin = Exclude<Origin, "saga">;
/** What a line tells. */
export type Kind = "action" | "effect" | "checkpoint" | "gap" | "snapshot";

export const ORIGINS: readonly Origin[] = ["ui", "sync", "api", "timer", "saga", "storage"];
export const KINDS: readonly Kind[] = ["action", "effect", "checkpoint", "gap", "snapshot"];

/** What the header says of the program and the page. */
export interface HeaderFacts {
  /** The build that recorded, as its bundle names itself. */
  readonly build: string;
  /** The channel's key name, as it stands in `fixtures/channels`; never the secret key. */
  readonly channel: string;
  readonly locale: string;
}

/** Line 1 of a log. */
export interface Header extends HeaderFacts {
  readonly format: typeof FORMAT;
  readonly v: typeof VERSION;
  /** Unix milliseconds of the page load. */
  readonly started_at: number;
  /** The state at the start; `null` is the reducer's own, or that of the `snapshot` line that follows. */
  readonly snapshot: State | null;
}

/** A root state: one value a slice. */
export type State = Readonly<Record<string, unknown>>;

interface Common {
  /** 1 at page load, one more each line. Only a `gap` may leave some out. */
  readonly seq: number;
  /** The turn's instant, Unix milliseconds; may go back. */
  readonly at: number;
  /** Milliseconds since page load; never goes back. */
  readonly mono: number;
  readonly origin: Origin;
  readonly type: string;
  /** The shape of the payload, from 1; a file leaves 1 out. */
  readonly type_version: number;
  /** What a reader found wrong with the line: it, or what it refers to, is not as it was written. Never in a file. */
  readonly edited?: string;
}

/** An action, written before its reducer ran. */
export interface ActionLine extends Common {
  readonly kind: "action";
  readonly payload: unknown;
}

/** What a port answered. `args` is the digest of what it was asked with. */
export type EffectPayload = ({ readonly ok: unknown } | { readonly err: PortErrorJson }) & { readonly args?: string };

/** A port's answer; `type` is its method. */
export interface EffectLine extends Common {
  readonly kind: "effect";
  readonly payload: EffectPayload;
  /** `<method>:<identity>#<n>`. */
  readonly call: string;
}

/**
 * Why a checkpoint was taken: so many actions, a quiet moment, a turn that threw, someone who asked, a new segment, whose
 * snapshot stands between two.
 */
export type CheckpointType = "counted" | "idle" | "crashed" | "requested" | "rotated";

/** The hashes of the slices that changed since the last one, and the calls that wait for an answer. */
export interface CheckpointLine extends Common {
  readonly kind: "checkpoint";
  readonly payload: {
    readonly slices: Readonly<Record<string, string>>;
    readonly open: readonly string[];
    /** The hash of its own text and of all lines before it, back to a gap, a snapshot or the header. */
    readonly covers: string;
  };
}

/** Lines that could not be stored: `from` and `to` are the first and the last `seq` among them. */
export interface GapLine extends Common {
  readonly kind: "gap";
  readonly payload: { readonly from: number; readonly to: number; readonly reason: string };
}

/** Why a snapshot was written: a page load with a recovered state, a new segment, the end of a gap. */
export type SnapshotType = "started" | "rotated" | "resumed";

/** The whole state, and how often each call had been made. */
export interface SnapshotLine extends Common {
  readonly kind: "snapshot";
  readonly payload: SnapshotPayload;
}

/** What a snapshot tells. */
export interface SnapshotPayload {
  readonly state: State;
  readonly counters: Readonly<Record<string, number>>;
  readonly open: readonly string[];
  /** The hash of each slice, as a checkpoint tells it. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** Any line of a log but the first. */
export type Line = ActionLine | EffectLine | CheckpointLine | GapLine | SnapshotLine;
