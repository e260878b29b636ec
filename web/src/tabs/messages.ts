import type { StreamPosition } from "../slices/tabs";

/** Slices of the state by their name. */
export type Slices = { readonly [slice: string]: unknown };
/** An action as it is posted. */
export type PlainAction = { type: string; payload?: unknown };

/** The viewer's slices, and which message of which leader they are the fold of. */
export interface ViewerState extends StreamPosition {
  readonly slices: Slices;
}

/** What pages of one browser say to each other about who leads. */
export type Message =
  /** A follower wants it done. */
  | { readonly t: "intent"; readonly id: string; readonly action: PlainAction }
  /** The leader is there: it has received something of this page. */
  | { readonly t: "heard"; readonly page: string }
  | ({
      readonly t: "stream";
      readonly actions: readonly PlainAction[];
      readonly answers: readonly string[];
    } & StreamPosition)
  /** A page asks for a snapshot. */
  | { readonly t: "sync"; readonly page: string }
  | ({ readonly t: "snapshot" } & ViewerState)
  /** A page that the viewer sees asks a hidden leader to resign. */
  | { readonly t: "resign"; readonly page: string }
  /** The leader did: that page takes the lock. */
  | { readonly t: "resigned"; readonly page: string };

/** The part of a BroadcastChannel that is used here. */
export interface Wire {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}
