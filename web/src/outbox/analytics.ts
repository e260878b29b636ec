import { type AnalyticsIdentity, type AnalyticsItem, COUNT_PATH, SESSION_LIFETIME } from "../contracts/outbox";
import type { Json } from "../lib/json";
import { isValid } from "../lib/time";
import { PortError } from "../ports/error";
import type { Channel, OutboxRequest } from "./channel";

/** Requests that outlive their page may carry 64 KB in all; a batch stays well below. */
export const BATCH_BYTES = 60_000;
/** The worker's limit of events per batch. */
export const BATCH_EVENTS = 500;

/** An event of `POST /datalake/batch`. */
interface WireEvent {
  readonly [field: string]: Json;
  readonly id: string;
}

/** Items that fit into one request, and their events. */
export interface Batch {
  readonly items: readonly AnalyticsItem[];
  readonly events: readonly WireEvent[];
}

/** The call that opens a session: its body names the session itself. */
const SESSION_PATH = "/datalake/session/";

const encoder = new TextEncoder();
const ENVELOPE_BYTES = 100;

/** The sender's values for fields added to each body. */
export interface AnalyticsSender {
  readonly emailOf: Channel["emailOf"];
  /** Null: only counts are sent. */
  readonly session: AnalyticsIdentity | null;
  /** Unix milliseconds. */
  readonly now: number;
}

const isCount = ({ payload: { path } }: AnalyticsItem): boolean => path === COUNT_PATH;

const hasSession = ({ payload: { path, body } }: AnalyticsItem): boolean =>
  path === SESSION_PATH || body.session_uuid !== undefined;

function viewerOf({ user_id }: AnalyticsItem, emailOf: Channel["emailOf"]): { [field: string]: Json } {
  if (user_id === undefined) return {};
  const email = emailOf(user_id);
  return email === null ? { user_id } : { user_id, user_email: email };
}

/** Recorded values are never replaced: an event stays in its session (ANA-11). */
function toWireEvent(item: AnalyticsItem, { emailOf, session }: AnalyticsSender): WireEvent {
  const { path, body } = item.payload;
  const isComplete = session === null || isCount(item) || hasSession(item);
  const added: { [field: string]: Json } = isComplete
    ? {}
    : { profile: session.profile, session_uuid: session.session };
  const viewer = path === SESSION_PATH ? {} : viewerOf(item, emailOf);
  return { id: item.id, path, at: new Date(item.at).toISOString(), body: { ...added, ...body, ...viewer } };
}

/** The first sendable events that fit into one request. An oversized one is sent alone, and the worker refuses it. */
export function nextBatch(
  waiting: readonly AnalyticsItem[],
  sender: AnalyticsSender,
  bytesFree: number = BATCH_BYTES,
): Batch | null {
  const items: AnalyticsItem[] = [];
  const events: WireEvent[] = [];
  let bytes = ENVELOPE_BYTES;
  // An older build stored no expiry: such a session is over.
  const { session } = sender;
  const isCurrent = session !== null && isValid(session.expires_at, sender.now, SESSION_LIFETIME);
  for (const item of waiting) {
    if (!isCount(item) && (session === null || (!isCurrent && !hasSession(item)))) continue;
    const event = toWireEvent(item, sender);
    bytes += encoder.encode(JSON.stringify(event)).length + 1;
    if (items.length === BATCH_EVENTS || (bytes > bytesFree && items.length > 0)) break;
    items.push(item);
    events.push(event);
  }
  return items.length === 0 ? null : { items, events };
}

export const batchRequest = (events: readonly WireEvent[], now: number) =>
  ({
    method: "POST",
    path: "/datalake/batch",
    fromOrigin: true,
    public: true,
    repeatable: true,
    fits: (data: unknown) => Array.isArray((data as { results?: unknown } | null)?.results),
    body: { sent_at: new Date(now).toISOString(), events },
  }) as const satisfies OutboxRequest;

export interface BatchOutcome {
  /** Accepted or finally refused by the worker: they may leave the outbox. */
  readonly settled: ReadonlySet<string>;
  /** Whether the worker wants the remaining events resent. */
  readonly again: boolean;
}

interface EventResult {
  readonly id: string;
  readonly outcome: "accepted" | "duplicate" | "rejected" | "retry";
}

function outcomeOf(data: unknown): BatchOutcome {
  const { results } = data as { results: EventResult[] };
  const settled = new Set(results.filter(({ outcome }) => outcome !== "retry").map(({ id }) => id));
  return { settled, again: results.some(({ outcome }) => outcome === "retry") };
}

/** Once `signal` is aborted nothing more is sent, and its reason is thrown. */
export interface BatchDeps {
  readonly channel: Channel;
  /** Unix milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Sends events. A refused batch is halved until the faulty event is isolated. */
export async function sendBatch(events: readonly WireEvent[], deps: BatchDeps): Promise<BatchOutcome> {
  const { channel, now, signal } = deps;
  try {
    return outcomeOf(await channel.send({ ...batchRequest(events, now), signal }));
  } catch (error) {
    if (!(error instanceof PortError) || error.retryable) throw error;
  }
  const [only] = events;
  if (events.length === 1 && only) return { settled: new Set([only.id]), again: false };
  const middle = Math.ceil(events.length / 2);
  const first = await sendBatch(events.slice(0, middle), deps);
  const second = await sendBatch(events.slice(middle), deps);
  return { settled: new Set([...first.settled, ...second.settled]), again: first.again || second.again };
}
