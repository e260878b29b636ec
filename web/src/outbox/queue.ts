import localforage from "localforage";
import type { AnalyticsItem, OutboxItem, OutboxOutcome } from "../contracts/outbox";
import type { Exclusive } from "./channel";

/** The part of localforage that the queue uses: a durable map that can be walked in the order of its keys. */
export interface OrderedStore {
  getItem<T>(key: string): Promise<T | null>;
  setItem<T>(key: string, value: T): Promise<T>;
  removeItem(key: string): Promise<void>;
  keys(): Promise<string[]>;
  iterate<T, U>(visit: (value: T, key: string) => U): Promise<U>;
  /** Stores entries of a page that is going away: without a wait, and whole even if the page is gone before an answer. */
  leave?(entries: ReadonlyMap<string, unknown>): void;
}

export const openOutboxStore = (): LocalForage =>
  localforage.createInstance({ name: "touchline-outbox", storeName: "items" });

/** An item where it stands in the queue. */
export interface Waiting {
  readonly place: string;
  readonly item: OutboxItem;
}

/** How an item ended, kept until the site has heard of it. */
export interface Answered {
  readonly place: string;
  readonly item: OutboxItem;
  readonly outcome: OutboxOutcome;
  /** When it ended, Unix milliseconds; absent: before that was kept. */
  readonly at?: number;
  /** The site has heard of it before. */
  readonly again?: true;
}

/** What is to be sent, and what became of it, in the order in which it was put in. Shared by tabs and service worker. */
export interface Queue {
  /** Settles once the item is stored. One that waits already, or that ended of late, is not stored again. */
  put(item: OutboxItem): Promise<void>;
  /** The analytics that are being put in now. */
  underWay(): AnalyticsItem[];
  /** The page goes away: stores those at once, as far as the store can do that. */
  leave(): void;
  waiting(): Promise<Waiting[]>;
  /** Stores what was learned of an item that waits. */
  amend(waiting: Waiting): Promise<void>;
  /** The item is sent, or never will be: it makes way for its outcome. `at`: Unix milliseconds. */
  settle(waiting: Waiting, outcome: OutboxOutcome, at: number): Promise<void>;
  /** The item is done with, and nobody needs to hear of it. */
  remove(waiting: Waiting): Promise<void>;
  /** Drops what of one kind waits, with what is being put in now. */
  forget(kind: OutboxItem["kind"]): Promise<void>;
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

const WAITS = "waiting/";
const ENDED = "ended/";
const HEARD = "heard/";
const LAST = "last";
const PLACES = 12;

/** A browser without locks may give one place to two items: their ids keep them apart. */
const keyOf = (place: number, id: string): string => `${WAITS}${String(place).padStart(PLACES, "0")}/${id}`;
const idOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** Walks a part of the store, in the order of its keys. */
async function part<T>(store: OrderedStore, prefix: string): Promise<[string, T][]> {
  const found: [string, T][] = [];
  await store.iterate<T, void>((value, key) => {
    if (key.startsWith(prefix)) found.push([key, value]);
  });
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

export interface QueueParts {
  store: OrderedStore;
  /** Held while an item is put in, so that two tabs never give out one place. */
  exclusive: Exclusive;
  /** How many analytics items are kept at most. */
  mostAnalytics: number;
}

export function createQueue({ store, exclusive, mostAnalytics }: QueueParts): Queue {
  /** How many analytics items are kept; null until it was counted. Other tabs' are counted anew at each page load. */
  let analytics: number | null = null;
  /** What is being put in, with its key once it has one. */
  const entering = new Map<string, { readonly item: OutboxItem; key: string | null }>();
  /** The last place that this page knows of. */
  let known = 0;

  async function makeRoom(): Promise<void> {
    if (analytics !== null && analytics < mostAnalytics) return;
    const kept = (await part<OutboxItem>(store, WAITS)).filter(([, item]) => item.kind === "analytics");
    const surplus = kept.slice(0, Math.max(0, kept.length - mostAnalytics + 1));
    for (const [key] of surplus) await store.removeItem(key);
    analytics = kept.length - surplus.length;
  }

  async function remove({ place, item }: Waiting): Promise<void> {
    await store.removeItem(place);
    if (item.kind === "analytics" && analytics !== null) analytics -= 1;
  }

  /** Who puts in what has ended shows it as waiting: how it ended is handed over once more. */
  async function tellAgain(heard: string): Promise<void> {
    const ended = await store.getItem<Omit<Answered, "place"> | true>(heard);
    // Of an older build's nothing but the id is known.
    if (ended === null || ended === true) return;
    await store.setItem(ENDED + heard.slice(HEARD.length), { ...ended, again: true });
    await store.removeItem(heard);
  }

  return {
    async put(item) {
      const entry = { item, key: null as string | null };
      entering.set(item.id, entry);
      try {
        await exclusive(async () => {
          const there = (await store.keys()).find((key) => idOf(key) === item.id);
          if (there?.startsWith(HEARD)) await tellAgain(there);
          if (there !== undefined) return;
          if (item.kind === "analytics") await makeRoom();
          known = ((await store.getItem<number>(LAST)) ?? 0) + 1;
          await store.setItem(LAST, known);
          entry.key ??= keyOf(known, item.id);
          await store.setItem(entry.key, item);
          if (item.kind === "analytics" && analytics !== null) analytics += 1;
        });
      } finally {
        entering.delete(item.id);
      }
    },
    underWay: () => [...entering.values()].flatMap(({ item }) => (item.kind === "analytics" ? [item] : [])),
    leave() {
      // What the viewer asked for is in the state, and put in again by the next page; analytics are nowhere else.
      const entries = [...entering.values()].filter(({ item }) => item.kind === "analytics");
      for (const entry of entries) entry.key ??= keyOf(known + 1, entry.item.id);
      if (entries.length > 0) store.leave?.(new Map(entries.map(({ key, item }) => [key as string, item])));
    },
    async waiting() {
      return (await part<OutboxItem>(store, WAITS)).map(([place, item]) => ({ place, item }));
    },
    async amend({ place, item }) {
      await store.setItem(place, item);
    },
    async settle({ place, item }, outcome, at) {
      // Outcome first: a crash between the two sends the item again under its own key, and loses nothing.
      await store.setItem(ENDED + place.slice(WAITS.length), { item, outcome, at });
      await store.removeItem(place);
    },
    remove,
    forget: (kind) =>
      exclusive(async () => {
        for (const [place, item] of await part<OutboxItem>(store, WAITS))
          if (item.kind === kind) await remove({ place, item });
      }),
    async answered() {
      const ended = await part<Omit<Answered, "place">>(store, ENDED);
      return ended.map(([place, answered]) => ({ place, ...answered }));
    },
    async acknowledge(answered) {
      // Under one key or another an id is there at every moment.
      for (const { place, ...ended } of answered) {
        await store.setItem(HEARD + place.slice(ENDED.length), ended);
        await store.removeItem(place);
      }
      const heard = (await store.keys()).filter((key) => key.startsWith(HEARD)).sort();
      for (const key of heard.slice(0, -MOST_HEARD)) await store.removeItem(key);
    },
  };
}
