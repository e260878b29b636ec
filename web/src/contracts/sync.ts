import type { Clip, Event, Id, Order, SubscriptionState } from "./resources";

/** Payloads of the sync protocol, v1 (`worker/protocol`, module `sync`), as the browser sees them. */

/** `user`: a viewer's orders, clips and subscriptions. `channel`: everyone's events. */
export type Stream = "user" | "channel";

/** A resource's absolute state, as its `GET` returns it, without personal fields. */
export type ResourceStatus = {
  stream: Stream;
  id: Id;
  /** Only grows per resource. */
  version: number;
} & (
  | { kind: "order"; state: Order }
  | { kind: "clip"; state: Clip }
  | { kind: "subscription"; state: SubscriptionState }
  | { kind: "event"; state: Event }
);

export type WatchKind = ResourceStatus["kind"];

/** The last frames that this browser has read, sent in `hello` so that the server can resume. */
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
  snapshot?: ResourceStatus[];
  ping_ms: number;
}
