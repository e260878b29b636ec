import type { Json } from "../lib/json";
import { HOUR } from "../lib/time";
import type { ClipVisibility, FavouriteType, Id } from "./resources";

/** What waits in the outbox, by kind. The item's id is its Idempotency-Key. */
export interface OutboxPayloads {
  "favourite.add": { favoritable_id: Id; favoritable_type: FavouriteType };
  /** `id`: the channel's, once the sender has asked for it; null before that. */
  "favourite.remove": { id: Id | null; favoritable_id: Id; favoritable_type: FavouriteType };
  "clip.create": {
    event_id?: Id;
    vod_id?: Id;
    name: string;
    start_time: number;
    duration: number;
    tags: string[];
    event_media_id: Id;
    from_segment?: number;
    visibility?: ClipVisibility;
  };
  /**
   * `path` is one of the `/datalake/...` calls, `body` its body. The sender adds the email, and the session where the
   * event has none.
   */
  analytics: { path: AnalyticsPath; body: { [field: string]: Json } };
}

export type AnalyticsPath =
  | "/datalake/session/"
  | "/datalake/event/"
  | "/datalake/video/event/"
  | "/datalake/cmcd/"
  | "/datalake/video/viewing/";

export type OutboxKind = keyof OutboxPayloads;

/** One durable thing to send. Items of one subject go in order; an item goes only under its own user's key. */
export type OutboxItem = {
  [K in OutboxKind]: {
    /** UUIDv7. */
    id: string;
    kind: K;
    /** Whose it is; absent for an anonymous viewer. */
    user_id?: Id;
    /** When it happened, Unix milliseconds. */
    at: number;
    payload: OutboxPayloads[K];
  };
}[OutboxKind];

export type AnalyticsItem = Extract<OutboxItem, { kind: "analytics" }>;

/** The profile and session of events that were recorded without one; null: all analytics wait. */
export interface AnalyticsIdentity {
  profile: string;
  session: string;
  /** Unix milliseconds. From then on events without a session wait for the next one. */
  expires_at: number;
}

/** How one item ended, or that it waits. `dead` will never be accepted; `message` is fit for the viewer. */
export type OutboxOutcome = { outcome: "done"; answer: Json } | { outcome: "dead"; code: string; message: string };

/** The longest wait that a server is granted, milliseconds. */
export const LONGEST_ASKED = HOUR;

/** What a drain left behind. `retry_after_ms` is the server's wish, where it had one. */
export interface DrainReport {
  left: number;
  retry_after_ms: number | null;
}
