import { expect, it } from "vitest";
import { chunkKey, factsKey, type LogStorage } from "../eventlog/stored-log";
import { earlierLog, pruneOld } from "./log";

function memory(entries: { [key: string]: unknown }): LogStorage & { all(): string[] } {
  const kept = new Map(Object.entries(entries));
  return {
    getItem: async (key) => kept.get(key) ?? null,
    setItem: async (key, value) => kept.set(key, value),
    removeItem: async (key) => void kept.delete(key),
    keys: async () => [...kept.keys()],
    all: () => [...kept.keys()].sort(),
  };
}

const facts = (log: string, tab: string, started_at: number) => ({
  [factsKey(log)]: {
    log,
    tab,
    closed: false,
    header: { format: "touchline-log", v: 1, build: "b", channel: "c", locale: "en", started_at, snapshot: null },
  },
  [chunkKey(log, 0, 0)]: "",
});

it("what tabs that are gone left behind is kept for the last few of them, snapshots and logs alike", async () => {
  const gone = Array.from({ length: 12 }, (_, n) => n);
  const storage = memory({
    ...facts("own", "me", 1),
    ...Object.assign({}, ...gone.map((n) => facts(`log-${n}`, `gone-${n}`, 10 + n))),
  });
  const snapshots = memory({
    "persist:browser": 1,
    "persist:tab/me": 1,
    ...Object.fromEntries(gone.map((n) => [`persist:tab/gone-${n}`, 1])),
  });
  await pruneOld({ storage, log: "own", tab: "me", others: async () => [] }, snapshots);
  const kept = gone.slice(4).map((n) => `gone-${n}`);
  expect(storage.all().filter((key) => key.endsWith("facts")).length).toBe(9);
  expect(snapshots.all()).toEqual(
    ["persist:browser", "persist:tab/me", ...kept.map((tab) => `persist:tab/${tab}`)].sort(),
  );
});

it("the log before a reload is this tab's own, and not the present one", async () => {
  const storage = memory({
    ...facts("first", "me", 1),
    ...facts("crashed", "me", 2),
    ...facts("now", "me", 4),
    ...facts("other", "you", 3),
  });
  expect((await earlierLog({ storage, log: "now", tab: "me", others: async () => [] }))?.log).toBe("crashed");
});

it("a tab that has none before offers the newest of a tab that went without a word, and no log of one that is there", async () => {
  const peaceful = facts("closed", "gone", 5);
  const storage = memory({
    ...facts("lost", "died", 2),
    ...facts("beside", "alive", 3),
    ...peaceful,
    [factsKey("closed")]: { ...(peaceful[factsKey("closed")] as object), closed: true },
    ...facts("now", "me", 6),
  });
  const parts = { storage, log: "now", tab: "me" };
  expect((await earlierLog({ ...parts, others: async () => ["alive"] }))?.log).toBe("lost");
  expect(await earlierLog({ ...parts, others: async () => ["alive", "died"] })).toBeUndefined();
});
