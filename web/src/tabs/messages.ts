import type { StreamPosition } from "../slices/tabs";

/** Slices of the state by name. */
export type Slices = { readonly [slice: string]: unknown };
/** An action as it is posted. */
export type PlainAction = { type: string; payload?: unknown };

/** The viewer's slices, with their position in the leader's stream. */
export interface ViewerState extends StreamPosition {
  readonly slices: Slices;
}

/** Messages between a browser's pages about leadership. */
export type Message =
  /** A follower requests an action. */
  | { readonly t: "intent"; readonly id: string; readonly action: PlainAction }
  /** The leader is alive: it received a message of this page. */
  | { readonly t: "heard"; readonly page: string }
  | ({
      readonly t: "stream";
      readonly actions: readonly PlainAction[];
      readonly answers: readonly string[];
    } & StreamPosition)
  /** A page requests a snapshot. */
  | { readonly t: "sync"; readonly page: string }
  | ({ readonly t: "snapshot" } & ViewerState)
  /** A visible page asks a hidden leader to resign. */
  | { readonly t: "resign"; readonly page: string }
  /** The leader resigned: that page takes the lock. */
  | { readonly t: "resigned"; readonly page: string };

/** The subset of BroadcastChannel in use. */
export interface Wire {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}
