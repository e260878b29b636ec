import type { AnalyticsIdentity } from "../contracts/outbox";

/** The subset of BroadcastChannel in use. */
export interface OutboxWire {
  postMessage(message: OutboxMessage): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** Messages between a browser's outboxes, in its pages and service worker; only one of them sends. */
export type OutboxMessage =
  /** Analytics of these ids have left the outbox. */
  | { readonly t: "left"; readonly ids: readonly string[] }
  /** Waiting analytics are discarded. */
  | { readonly t: "forgotten" }
  /** The server accepts no analytics until then, in Unix milliseconds. */
  | { readonly t: "asked"; readonly until: number }
  /** Analytics are sent in this session; null: in none. */
  | { readonly t: "session"; readonly session: AnalyticsIdentity | null };

/** Topics between a browser's pages and its service worker. */
export type Topic = "account" | "calm" | "leadership" | "outbox" | "playback";

export interface TopicWire {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** The browser's one channel. */
export interface Broadcast {
  of(topic: Topic): TopicWire;
  /** Stops all messages until it is reopened: an idle page may then enter the back-forward cache. */
  close(): void;
  open(): void;
}

const NAME = "touchline";

export function openBroadcast(): Broadcast {
  const wires = new Map<Topic, TopicWire>();
  let inner: BroadcastChannel | null = null;

  function open(): void {
    if (inner !== null) return;
    try {
      inner = new BroadcastChannel(NAME);
    } catch {
      // A browser without one: each page receives only its own messages.
      return;
    }
    inner.onmessage = ({ data }) => {
      const { topic, message } = data as { topic: Topic; message: unknown };
      wires.get(topic)?.onmessage?.({ data: message });
    };
  }
  open();

  return {
    of(topic) {
      const wire: TopicWire = { onmessage: null, postMessage: (message) => inner?.postMessage({ topic, message }) };
      wires.set(topic, wire);
      return wire;
    },
    close() {
      inner?.close();
      inner = null;
    },
    open,
  };
}
