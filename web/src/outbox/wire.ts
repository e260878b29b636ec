import type { AnalyticsIdentity } from "../contracts/outbox";

/** The part of a BroadcastChannel that is used here. */
export interface OutboxWire {
  postMessage(message: OutboxNews): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** What the outboxes of one browser tell each other, in its pages and in the service worker: one alone sends for all. */
export type OutboxNews =
  /** Analytics of these ids are out of the outbox. */
  | { readonly t: "left"; readonly ids: readonly string[] }
  /** The analytics that wait are dropped. */
  | { readonly t: "forgotten" }
  /** The server takes no analytics until then, Unix milliseconds. */
  | { readonly t: "asked"; readonly until: number }
  /** Analytics are sent in this session; null: in none. */
  | { readonly t: "session"; readonly session: AnalyticsIdentity | null };

/** The wire of this browser. */
export function openOutboxWire(): OutboxWire & { close(): void } {
  const inner = new BroadcastChannel("touchline-outbox");
  const wire: OutboxWire = { onmessage: null, postMessage: (news) => inner.postMessage(news) };
  inner.onmessage = (event) => wire.onmessage?.(event);
  return Object.assign(wire, { close: () => inner.close() });
}
