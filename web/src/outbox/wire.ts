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

/** What the pages of one browser, and its service worker, tell each other of. */
export type Topic = "account" | "leadership" | "outbox";

/** One topic of the channel. */
export interface TopicWire {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** The browser's one channel. */
export interface Broadcast {
  of(topic: Topic): TopicWire;
  /** Hears and says nothing until it is opened again: an idle page may then enter the back-forward cache. */
  close(): void;
  open(): void;
}

const NAME = "touchline";

export function openBroadcast(): Broadcast {
  const wires = new Map<Topic, TopicWire>();
  let inner: BroadcastChannel | null = null;

  function open(): void {
    if (inner !== null) return;
    inner = new BroadcastChannel(NAME);
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
