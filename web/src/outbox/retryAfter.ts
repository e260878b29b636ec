import { LONGEST_ASKED } from "../contracts/outbox";
import type { OutboxStore } from "./queue";

/** How long the server asked one of the senders to leave it alone: kept beside the items, where whoever drains next reads it. */
export interface RetryAfter {
  /** What is left of it, milliseconds; null: nothing is. */
  read(): Promise<number | null>;
  /** The same, as far as this realm knows: storage cannot be read while a page goes away. */
  known(): number | null;
  /** It was asked for now. Answers until when, Unix milliseconds. */
  keep(ms: number): Promise<number>;
  /** Another realm was asked. */
  heard(until: number): void;
}

export function createRetryAfter(store: OutboxStore, sender: "seen" | "analytics", now: () => number): RetryAfter {
  const key = `asked/${sender}`;
  let until = 0;
  /** Whether the store says the same. On a full disk this realm alone knows of the wait, and still keeps to it. */
  let isKept = true;
  function known(): number | null {
    const left = until - now();
    // A clock that was set back would make an hour a year.
    return left > 0 && left <= LONGEST_ASKED ? left : null;
  }
  return {
    async read() {
      const stored = (await store.getItem<number>(key)) ?? 0;
      until = isKept ? stored : Math.max(stored, until);
      return known();
    },
    known,
    async keep(ms) {
      until = now() + Math.min(ms, LONGEST_ASKED);
      isKept = await store.setItem(key, until).then(
        () => true,
        () => false,
      );
      return until;
    },
    heard(at) {
      until = at;
    },
  };
}
