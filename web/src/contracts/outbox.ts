import type { Json } from "../lib/json";
import { DAY, HOUR } from "../lib/time";
import type { ClipVisibility, FavouriteType, Id } from "./resources";

/** Payloads of outbox items by kind. An item's id is its Idempotency-Key. */
export interface OutboxPayloads {
  "favourite.add": { favoritable_id: Id; favoritable_type: FavouriteType };
  /** `id`: assigned by the channel; null until the sender has looked it up. */
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
   * `path` is one of the `/datalake/...` calls, `body` its body. The sender adds the email, and the session if the
   * event has none.
   */
  analytics: { path: AnalyticsPath; body: { [field: string]: Json } };
}

/** Events of viewers without consent: they carry neither profile, session nor person (ANA-14). */
export const COUNT_PATH = "/datalake/count/";

export type AnalyticsPath =
  | "/datalake/session/"
  | "/datalake/event/"
  | "/datalake/video/event/"
  | "/datalake/cmcd/"
  | typeof COUNT_PATH
  | "/datalake/video/viewing/";

export type OutboxKind = keyof OutboxPayloads;

/** One durable item to send. Items of one subject are sent in order, and an item only with its user's key. */
export type OutboxItem = {
  [K in OutboxKind]: {
    id: string;
    kind: K;
    /** The signed-in person; absent for an anonymous viewer. */
    user_id?: Id;
    /** Time of the event, in Unix milliseconds. */
    at: number;
    payload: OutboxPayloads[K];
  };
}[OutboxKind];

export type AnalyticsItem = Extract<OutboxItem, { kind: "analytics" }>;

/** ANA-1. */
export const SESSION_LIFETIME = DAY;

/** The profile and session of events that were recorded without one; null: all analytics wait. */
export interface AnalyticsIdentity {
  profile: string;
  session: string;
  /** Unix milliseconds. From then on, events without a session wait for the next session. */
  expires_at: number;
}

/** One item's result, or that it waits. `dead`: will never be accepted; `message` is fit for the viewer. */
export type OutboxOutcome = { outcome: "done"; answer: Json } | { outcome: "dead"; code: string; message: string };

/** The longest wait granted to a server, in milliseconds. */
export const MAX_RETRY_AFTER = HOUR;

/** Result of a drain. `retry_after_ms` is the server's `Retry-After`, if any. */
export interface DrainReport {
  left: number;
  retry_after_ms: number | null;
}
