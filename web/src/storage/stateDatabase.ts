import { type Fence, type MemoryFallback, type ObjectStore, openDatabase } from "./database";

/** The Web Lock of the leading tab. The service worker sends only while it holds this lock. */
export const LEADER_LOCK = "touchline-leader";

/** The object stores for everything except the log. */
export type StateStore = "snapshots" | "outbox" | "account";

const GENERATION = "generation";
const STORES: readonly string[] = ["snapshots", "outbox", "account", GENERATION] satisfies (
  | StateStore
  | typeof GENERATION
)[];

/** Another tab leads now: nothing of this write was stored, and later writes fail too. */
export class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** The site's state, outbox and keys in this browser. */
export interface StateDatabase {
  /** An object store that every tab may write, under its own keys. */
  storage(name: StateStore): ObjectStore;
  /** The same object store for the leader: each write rejects with `SupersededError` once another tab leads. */
  fenced(name: StateStore): ObjectStore;
  /**
   * Becomes the leader: raises and returns the generation. Without Web Locks nobody calls it, and no write is refused.
   */
  lead(): Promise<number>;
}

/**
 * Opened once per page load and service worker, since it tracks the generation it leads in. Without a `fallback`, a
 * database that does not open stays closed.
 */
export function openStateDatabase(name = "touchline-state", fallback?: MemoryFallback): StateDatabase {
  const database = openDatabase(name, STORES, fallback);
  let currentGeneration = 0;
  const fence: Fence = {
    storeName: GENERATION,
    key: GENERATION,
    check(stored) {
      if (((stored as number | undefined) ?? 0) > currentGeneration) throw new SupersededError("another tab leads now");
    },
  };
  const raise = (): Promise<number> =>
    database.run<number>([GENERATION], "readwrite", ({ objects, on, answer, commit }) => {
      const generation = objects(GENERATION);
      on(generation.get(GENERATION), (stored: number | undefined) => {
        const next = (stored ?? 0) + 1;
        generation.put(next, GENERATION);
        answer(next);
        commit();
      });
    });
  const stored = (): Promise<number> =>
    database.run<number>([GENERATION], "readonly", ({ objects, on, answer }) =>
      on(objects(GENERATION).get(GENERATION), (found: number | undefined) => answer(found ?? 0)),
    );
  return {
    storage: (storeName) => database.store(storeName),
    fenced: (storeName) => database.store(storeName, fence),
    async lead() {
      // A full disk rejects a new number; reading the old one lets the leader delete sent items and so free space.
      currentGeneration = await raise().catch(stored);
      return currentGeneration;
    },
  };
}
