import { type Fence, type ObjectStore, openDatabase } from "./database";

/** The Web Lock of the tab that leads. The service worker sends only while it holds it. */
export const LEADER_LOCK = "touchline-leader";

/** What the site keeps besides its log, an object store each. */
export type StateStore = "snapshots" | "outbox" | "account";

const GENERATION = "generation";
const STORES: readonly string[] = ["snapshots", "outbox", "account", GENERATION] satisfies (
  | StateStore
  | typeof GENERATION
)[];

/** Somebody else leads since: nothing of this write was stored, and nothing of a later one will be. */
export class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** The site's state, outbox and keys in this browser. */
export interface StateDatabase {
  /** An object store that every tab may write: under keys of its own. */
  storage(name: StateStore): ObjectStore;
  /** The same object store for who leads: each write rejects with `SupersededError` once somebody else leads. */
  fenced(name: StateStore): ObjectStore;
  /**
   * Begins to lead: raises the generation, which is answered. Without Web Locks nobody calls it, and nothing is refused.
   */
  lead(): Promise<number>;
}

/** Each page load and each service worker opens it once: which generation it leads in is part of it. */
export function openStateDatabase(name = "touchline-state"): StateDatabase {
  const database = openDatabase(name, STORES);
  let own = 0;
  const fence: Fence = {
    storeName: GENERATION,
    key: GENERATION,
    check(stored) {
      if (((stored as number | undefined) ?? 0) > own) throw new SupersededError("another tab leads since");
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
      // A full disk takes no new number: it is read, lets go of what was sent, and so makes room.
      own = await raise().catch(stored);
      return own;
    },
  };
}
