import type { Clip, Event, Id, Order } from "./resources";

/** Frames of the sync protocol, v1, as the browser sees them. */

export type Stream = "user" | "channel";

interface StatusBase {
  stream: Stream;
  id: Id;
  /** Only grows per resource. */
  version: number;
}

/** The state of a subscription that a viewer holds. */
export interface SubscriptionState {
  id: Id;
  subscription_id: Id;
  status: "active" | "inactive" | "expired" | "canceled";
  auto_renew: "active" | "cancelled";
  version?: number;
}

/** A resource's absolute state, as its `GET` gives it. */
export type Status = StatusBase &
  (
    | { kind: "order"; state: Order }
    | { kind: "clip"; state: Clip }
    | { kind: "subscription"; state: SubscriptionState }
    | { kind: "event"; state: Event }
  );

export type WatchKind = Status["kind"];

/** How far this browser has read: sent in `hello`, so that the server can resume. */
export interface ResumePosition {
  epoch: string;
  user_seq?: number;
  channel_seq: number;
}

export interface Welcome {
  epoch: string;
  user_seq?: number;
  channel_seq: number;
  mode: "resumed" | "snapshot";
  snapshot?: Status[];
  ping_ms: number;
}
