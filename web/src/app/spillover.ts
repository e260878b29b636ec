import type { OutboxItem } from "../contracts/outbox";

/** What a page recorded and could not put into the outbox any more, for the next page to put in. */
export interface Spillover {
  leave(item: OutboxItem): void;
  left(): OutboxItem[];
  forget(id: string): void;
}

const PREFIX = "touchline-left/";
/** How many items may wait: a browser that never gets as far as an outbox must not fill its storage. */
const MOST = 200;

const isItem = (value: unknown): value is OutboxItem =>
  typeof value === "object" && value !== null && "id" in value && "kind" in value && "payload" in value;

function parsed(text: string | null): OutboxItem[] {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isItem(value) ? [value] : [];
  } catch {
    return [];
  }
}

/** A landing in a storage that is written at once: `localStorage`, where there is one. One key an item: tabs share it. */
export function openSpillover(storage: Storage | null): Spillover {
  const keys = (): string[] => (storage === null ? [] : Object.keys(storage).filter((key) => key.startsWith(PREFIX)));
  return {
    leave(item) {
      try {
        if (keys().length < MOST) storage?.setItem(PREFIX + item.id, JSON.stringify(item));
      } catch {
        // A full storage: the event is lost, and the viewer goes on.
      }
    },
    left: () => keys().flatMap((key) => parsed(storage?.getItem(key) ?? null)),
    forget: (id) => storage?.removeItem(PREFIX + id),
  };
}
