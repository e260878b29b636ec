import type { AnalyticsItem, OutboxItem, OutboxOutcome } from "../contracts/outbox";
import type { ObjectStore } from "../storage/database";
import { ANALYTICS, analyticsKeyOf, COUNTS } from "./analyticsKey";

/** The outbox's subset of its object store. */
export type OutboxStore = Pick<ObjectStore, "getItem" | "setItem" | "removeItem" | "update" | "entries" | "trim">;

/** A waiting item with its sequence number. */
export interface Waiting<Item extends OutboxItem = OutboxItem> {
  readonly place: number;
  readonly item: Item;
}

/** An item's outcome, stored until the site has received it. */
export interface Answered extends Waiting {
  readonly outcome: OutboxOutcome;
  /** Time of the end, in Unix milliseconds. */
  readonly at: number;
  /** The site has received it before. */
  readonly again?: true;
}

/** Waiting items and outcomes. Shared by tabs and service worker: all put, the leader removes. */
export interface Queue {
  /**
   * Settles once the item is stored. An item that waits or ended recently isn't stored again. Analytics are stored at
   * once, so that a closing page leaves them behind.
   */
  put(item: OutboxItem): Promise<void>;
  /** Favourites and clips, in the order they were put. */
  waiting(): Promise<Waiting[]>;
  /** Events, then counts, each oldest first. */
  analytics(): Promise<AnalyticsItem[]>;
  /** Fails with `SupersededError` if another tab leads: called before each send. */
  assertLeads(): Promise<void>;
  /** Stores new facts about a waiting item. */
  amend(waiting: Waiting): Promise<void>;
  /** The item was sent or finally refused: its outcome replaces it. `at`: Unix milliseconds. */
  settle(waiting: Waiting, outcome: OutboxOutcome, at: number): Promise<void>;
  /** Removes items whose outcome nobody needs. */
  removeAnalytics(items: readonly AnalyticsItem[]): Promise<void>;
  /** Discards waiting events, including those being put now. Counts stay. */
  forgetAnalytics(): Promise<void>;
  answered(): Promise<Answered[]>;
  /** The site has received these. They are remembered, since a slow tab may put them again. */
  acknowledge(answered: readonly Answered[]): Promise<void>;
}

/** Maximum number of stored analytics items. The oldest are dropped, so that the disk never fills up. */
export const MAX_ANALYTICS = 10_000;
/** The maximum if they are only recorded (a site on localhost). */
export const MAX_UNSENT_ANALYTICS = 1_000;
/** Maximum number of remembered outcomes, newest first. */
export const MAX_RECEIVED = 500;
/** Number of analytics items that a page adds between full counts. */
const COUNT_INTERVAL = 100;

const WAITS = "waiting/";
const ENDED = "ended/";
const RECEIVED = "heard/";
const LAST = "last";

export interface QueueDeps {
  /** Written by every realm, under an item's own id. */
  store: OutboxStore;
  /** The same for changes by the leader only. */
  fenced: OutboxStore;
  /** Maximum number of stored analytics items. */
  maxAnalytics: number;
}

export function createQueue({ store, fenced, maxAnalytics: mostAnalytics }: QueueDeps): Queue {
  /** Analytics items that may still be put before the next count. */
  let uncounted = 0;

  async function putAnalytics(item: AnalyticsItem): Promise<void> {
    await store.setItem(analyticsKeyOf(item), item);
    uncounted -= 1;
    if (uncounted >= 0) return;
    const events = await store.trim(ANALYTICS, mostAnalytics);
    const counts = await store.trim(COUNTS, mostAnalytics);
    uncounted = Math.min(mostAnalytics - Math.max(events, counts), COUNT_INTERVAL);
  }

  const putVisible = (item: OutboxItem): Promise<void> => {
    const { id } = item;
    return store.update([WAITS + id, ENDED + id, RECEIVED + id, LAST], ([waits, ended, acknowledged, last]) => {
      if (waits !== undefined || ended !== undefined) return new Map();
      // A page that puts an ended item shows it as waiting, so its outcome is delivered again.
      if (acknowledged !== undefined)
        return new Map([
          [ENDED + id, { ...(acknowledged as Answered), again: true }],
          [RECEIVED + id, undefined],
        ]);
      const seq = ((last as number | undefined) ?? 0) + 1;
      return new Map<string, unknown>([
        [LAST, seq],
        [WAITS + id, { place: seq, item }],
      ]);
    });
  };

  async function inOrder<T extends Waiting>(prefix: string): Promise<T[]> {
    const found = await store.entries<T>(prefix);
    return found.map(([, entry]) => entry).sort((a, b) => a.place - b.place);
  }

  return {
    put: (item) => (item.kind === "analytics" ? putAnalytics(item) : putVisible(item)),
    waiting: () => inOrder(WAITS),
    async analytics() {
      const events = await store.entries<AnalyticsItem>(ANALYTICS);
      const counts = await store.entries<AnalyticsItem>(COUNTS);
      return [...events, ...counts].map(([, item]) => item);
    },
    assertLeads: () => fenced.update([], () => new Map()),
    async amend(waiting) {
      await fenced.setItem(WAITS + waiting.item.id, waiting);
    },
    settle: ({ place: seq, item }, outcome, at) =>
      fenced.update(
        [],
        () =>
          new Map([
            [ENDED + item.id, { place: seq, item, outcome, at }],
            [WAITS + item.id, undefined],
          ]),
      ),
    removeAnalytics: (items) =>
      fenced.update([], () => new Map(items.map((item) => [analyticsKeyOf(item), undefined]))),
    async forgetAnalytics() {
      await store.trim(ANALYTICS, 0);
    },
    answered: () => inOrder(ENDED),
    async acknowledge(answered) {
      const acknowledged = answered.flatMap((entry): [string, unknown][] => [
        [RECEIVED + entry.item.id, entry],
        [ENDED + entry.item.id, undefined],
      ]);
      await fenced.update([], () => new Map(acknowledged));
      await fenced.trim(RECEIVED, MAX_RECEIVED);
    },
  };
}
