import "fake-indexeddb/auto";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStateDatabase, type StateDatabase, SupersededError } from "./stateDatabase";

let count = 0;
/** Two page loads of one browser. */
function twoTabs(): { older: StateDatabase; newer: StateDatabase } {
  const name = `state-${++count}`;
  return { older: openStateDatabase(name), newer: openStateDatabase(name) };
}
afterEach(() => vi.restoreAllMocks());

describe("a leader", () => {
  it("writes until another takes over: from then on nothing of the older one is stored, whichever way it writes", async () => {
    const { older, newer } = twoTabs();
    expect(await older.lead()).toBe(1);
    const store = older.fenced("snapshots");
    await store.setItem("a", 1);
    await store.setItem("b", 1);
    expect(await newer.lead()).toBe(2);
    const writes = [
      () => store.setItem("a", 2),
      () => store.removeItem("a"),
      () => store.update(["a"], () => new Map([["a", 2]])),
      () => store.trim("", 0),
      () => store.clear(),
      () => older.fenced("outbox").setItem("a", 2),
    ];
    for (const write of writes) await expect(write()).rejects.toBeInstanceOf(SupersededError);
    expect(await newer.storage("snapshots").entries("")).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    // It still reads, and writes its own keys.
    expect(await store.getItem("a")).toBe(1);
    await older.storage("snapshots").setItem("tab/1", 1);
    // It leads again after calling `lead`.
    expect(await older.lead()).toBe(3);
    await store.setItem("a", 3);
    expect(await newer.storage("snapshots").getItem("a")).toBe(3);
  });

  it("that never led writes nothing while another leads, and everything if nobody ever has: without locks", async () => {
    const { older, newer } = twoTabs();
    await older.fenced("outbox").setItem("a", 1);
    await newer.fenced("outbox").setItem("a", 2);
    await newer.lead();
    await expect(older.fenced("outbox").setItem("a", 3)).rejects.toBeInstanceOf(SupersededError);
    expect(await newer.storage("outbox").getItem("a")).toBe(2);
  });

  it("leads on a full disk too, and can still do what needs no space", async () => {
    const { older, newer } = twoTabs();
    await older.lead();
    await older.storage("outbox").setItem("a", 1);
    vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    expect(await newer.lead()).toBe(1);
    await newer.fenced("outbox").removeItem("a");
    expect(await newer.storage("outbox").keys()).toEqual([]);
  });
});

describe("a database", () => {
  it("that the browser doesn't open fails its calls, and is opened by later ones", async () => {
    const { older } = twoTabs();
    const denied = vi.spyOn(indexedDB, "open").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    await expect(older.lead()).rejects.toThrow("denied");
    await expect(older.storage("account").getItem("keys")).rejects.toThrow("denied");
    denied.mockRestore();
    expect(await older.storage("account").getItem("keys")).toBeNull();
  });

  it("that the browser closed is opened again", async () => {
    const { older } = twoTabs();
    await older.storage("account").setItem("keys", 1);
    vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementationOnce(() => {
      throw new DOMException("closing", "InvalidStateError");
    });
    expect(await older.storage("account").getItem("keys")).toBe(1);
  });

  it("stores all or nothing of one write", async () => {
    const store = openStateDatabase(`state-${++count}`).storage("outbox");
    const writing = store.update(
      ["a"],
      ([a]) =>
        new Map<string, unknown>([
          ["a", a ?? 1],
          ["b", () => "no data"],
        ]),
    );
    await expect(writing).rejects.toThrow();
    expect(await store.keys()).toEqual([]);
  });

  it("is read by key prefixes, and cut to the last entries", async () => {
    const store = openStateDatabase(`state-${++count}`).storage("outbox");
    for (const key of ["b/2", "a/1", "b/1", "b/3", "c"]) await store.setItem(key, key.toUpperCase());
    expect(await store.entries("b/")).toEqual([
      ["b/1", "B/1"],
      ["b/2", "B/2"],
      ["b/3", "B/3"],
    ]);
    expect(await store.trim("b/", 5)).toBe(3);
    expect(await store.trim("b/", 2)).toBe(2);
    expect(await store.trim("b/", 0)).toBe(0);
    expect(await store.keys()).toEqual(["a/1", "c"]);
  });
});

/** An action of a tab, and the event loop turns until the next. */
interface Step {
  readonly who: "older" | "newer";
  readonly what: "set" | "update" | "remove" | "lead";
  readonly key: string;
  readonly pause: number;
}
const step: fc.Arbitrary<Step> = fc.record({
  who: fc.constantFrom("older", "newer"),
  what: fc.constantFrom("set", "update", "set", "remove", "lead"),
  key: fc.constantFrom("x", "y", "z"),
  pause: fc.integer({ min: 0, max: 3 }),
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("however two tabs interleave, no write of one lands after the other has become the leader", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const tabs = twoTabs();
      await tabs.older.lead();
      /** Committed writes in the order of their transactions, which end in the order they started. */
      const landed: { who: string; generation: number }[] = [];
      const generations = { older: 1, newer: 0 };
      const started: Promise<void>[] = [];
      for (const { who, what, key, pause } of steps) {
        const store = tabs[who].fenced("snapshots");
        const asGeneration = generations[who];
        const write = (): Promise<unknown> => {
          if (what === "set") return store.setItem(key, asGeneration);
          if (what === "remove") return store.removeItem(key);
          return store.update([key, "count"], ([, n]) => new Map([["count", Number(n ?? 0) + 1]]));
        };
        if (what === "lead")
          started.push(
            tabs[who].lead().then((generation) => {
              generations[who] = generation;
              landed.push({ who, generation });
            }),
          );
        else
          started.push(
            write().then(
              () => void landed.push({ who, generation: asGeneration }),
              (error: unknown) => expect(error).toBeInstanceOf(SupersededError),
            ),
          );
        for (let remaining = pause; remaining > 0; remaining -= 1) await turn();
      }
      await Promise.all(started);
      // The writer is always the last tab that became the leader.
      let leader = { who: "older", generation: 1 };
      for (const { who, generation } of landed) {
        if (generation > leader.generation) leader = { who, generation };
        expect(who).toBe(leader.who);
      }
    }),
    { numRuns: 150 },
  );
});
