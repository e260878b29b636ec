import type { AnalyticsItem, OutboxItem, OutboxOutcome } from "../contracts/outbox";
import type { ObjectStore } from "../storage/database";
import { ANALYTICS } from "./analyticsKey";

/** What the outbox needs of its object store. */
export type OutboxStore = Pick<ObjectStore, "getItem" | "setItem" | "removeItem" | "update" | "entries" | "trim">;

/** An item that waits, and its place in the order of putting in. */
export interface Waiting<Item extends OutboxItem = OutboxItem> {
  readonly place: number;
  readonly item: Item;
}

/** How an item ended, kept until the site has heard of it. */
export interface Answered extends Waiting {
  readonly outcome: OutboxOutcome;
  /** When it ended, Unix milliseconds. */
  readonly at: number;
  /** The site has heard of it before. */
  readonly again?: true;
}

/** What is to be sent, and what became of it. Shared by tabs and service worker: all put in, who leads takes out. */
export interface Queue {
  /**
   * Settles once the item is stored. One that waits already, or that ended of late, is not stored again. Analytics are
   * stored at once: a page that goes away leaves them behind.
   */
  put(item: OutboxItem): Promise<void>;
  /** What the viewer sees, in the order in which it was put in. */
  waiting(): Promise<Waiting[]>;
  /** Oldest first. */
  analytics(): Promise<AnalyticsItem[]>;
  /** Fails with `SupersededError` where somebody else leads: whoever sends asks before each call. */
  assertLeads(): Promise<void>;
  /** Stores what was learned of an item that waits. */
  amend(waiting: Waiting): Promise<void>;
  /** The item is sent, or never will be: it makes way for its outcome. `at`: Unix milliseconds. */
  settle(waiting: Waiting, outcome: OutboxOutcome, at: number): Promise<void>;
  /** These are done with, and nobody needs to hear of them. */
  removeAnalytics(items: readonly AnalyticsItem[]): Promise<void>;
  /** Drops the analytics that wait, with those that are being put in now. */
  forgetAnalytics(): Promise<void>;
  answered(): Promise<Answered[]>;
  /** The site has heard of these. They are remembered: a slow tab may yet put them in again. */
  acknowledge(answered: readonly Answered[]): Promise<void>;
}

/** How many analytics items a browser keeps at most. The oldest make way: nothing may fill a viewer's disk. */
export const MOST_ANALYTICS = 10_000;
/** And how many when they are recorded only (a site on localhost). */
export const MOST_UNSENT_ANALYTICS = 1_000;
/** How many of those that ended are remembered at most, the latest of them. */
export const MOST_HEARD = 500;
/** How many analytics items a page puts in before all are counted again. */
const COUNTED_EVERY = 100;

const WAITS = "waiting/";
const ENDED = "ended/";
const HEARD = "heard/";
const LAST = "last";

export interface QueueParts {
  /** All may write here: under an item's own id. */
  store: OutboxStore;
  /** The same, for what only who leads may change. */
  fenced: OutboxStore;
  /** How many analytics items are kept at most. */
  mostAnalytics: number;
}

export function createQueue({ store, fenced, mostAnalytics }: QueueParts): Queue {
  /** How many analytics items may be put in before they are counted. */
  let uncounted = 0;

  async function putAnalytics(item: AnalyticsItem): Promise<void> {
    await store.setItem(ANALYTICS + item.id, item);
    uncounted -= 1;
    if (uncounted >= 0) return;
    uncounted = Math.min(mostAnalytics - (await store.trim(ANALYTICS, mostAnalytics)), COUNTED_EVERY);
  }

  const putSeen = (item: OutboxItem): Promise<void> => {
    const { id } = item;
    return store.update([WAITS + id, ENDED + id, HEARD + id, LAST], ([waits, ended, acknowledged, last]) => {
      if (waits !== undefined || ended !== undefined) return new Map();
      // Who puts in what has ended shows it as waiting: how it ended is handed over once more.
      if (acknowledged !== undefined)
        return new Map([
          [ENDED + id, { ...(acknowledged as Answered), again: true }],
          [HEARD + id, undefined],
        ]);
      const place = ((last as number | undefined) ?? 0) + 1;
      return new Map<string, unknown>([
        [LAST, place],
        [WAITS + id, { place, item }],
      ]);
    });
  };

  async function inOrder<T extends Waiting>(prefix: string): Promise<T[]> {
    const found = await store.entries<T>(prefix);
    return found.map(([, entry]) => entry).sort((a, b) => a.place - b.place);
  }

  return {
    put: (item) => (item.kind === "analytics" ? putAnalytics(item) : putSeen(item)),
    waiting: () => inOrder(WAITS),
    analytics: async () => (await store.entries<AnalyticsItem>(ANALYTICS)).map(([, item]) => item),
    assertLeads: () => fenced.update([], () => new Map()),
    async amend(waiting) {
      await fenced.setItem(WAITS + waiting.item.id, waiting);
    },
    settle: ({ place, item }, outcome, at) =>
      fenced.update(
        [],
        () =>
          new Map([
            [ENDED + item.id, { place, item, outcome, at }],
            [WAITS + item.id, undefined],
          ]),
      ),
    removeAnalytics: (items) => fenced.update([], () => new Map(items.map(({ id }) => [ANALYTICS + id, undefined]))),
    async forgetAnalytics() {
      await store.trim(ANALYTICS, 0);
    },
    answered: () => inOrder(ENDED),
    async acknowledge(answered) {
      const acknowledged = answered.flatMap((entry): [string, unknown][] => [
        [HEARD + entry.item.id, entry],
        [ENDED + entry.item.id, undefined],
      ]);
      await fenced.update([], () => new Map(acknowledged));
      await fenced.trim(HEARD, MOST_HEARD);
    },
  };
}
