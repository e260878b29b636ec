import { MAX_RETRY_AFTER } from "../contracts/outbox";
import type { OutboxStore } from "./queue";

/** A sender's wait requested by the server: stored beside the items, for the next sender. */
export interface RetryAfter {
  /** The remaining wait in milliseconds; null: none. */
  read(): Promise<number | null>;
  /** The same from memory: storage can't be read while a page closes. */
  remaining(): number | null;
  /** Stores a wait requested now. Returns its end, in Unix milliseconds. */
  store(ms: number): Promise<number>;
  /** Another realm received the request. */
  receive(until: number): void;
}

export function createRetryAfter(store: OutboxStore, sender: "seen" | "analytics", now: () => number): RetryAfter {
  const key = `asked/${sender}`;
  let until = 0;
  /** Whether the store agrees. On a full disk only this realm knows of the wait, and still observes it. */
  let isStored = true;
  function remainingWait(): number | null {
    const remaining = until - now();
    // A clock that was set back would turn an hour into a year.
    return remaining > 0 && remaining <= MAX_RETRY_AFTER ? remaining : null;
  }
  return {
    async read() {
      const stored = (await store.getItem<number>(key)) ?? 0;
      until = isStored ? stored : Math.max(stored, until);
      return remainingWait();
    },
    remaining: remainingWait,
    async store(ms) {
      until = now() + Math.min(ms, MAX_RETRY_AFTER);
      isStored = await store.setItem(key, until).then(
        () => true,
        () => false,
      );
      return until;
    },
    receive(at) {
      until = at;
    },
  };
}
