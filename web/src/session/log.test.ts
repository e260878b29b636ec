import { expect, it } from "vitest";
import { listLogs } from "../eventlog/archive";
import type { Header } from "../eventlog/envelope";
import { chunkKey, factsKey, type LogStorage } from "../eventlog/stored-log";
import { createMemoryStorage } from "../eventlog/testing/memory-storage";
import { earlierLog, pruneOld } from "./earlierLogs";
import { type LogDeps, openLog } from "./log";

function memory(entries: { [key: string]: unknown }): LogStorage & { all(): string[] } {
  const storage = createMemoryStorage();
  for (const [key, value] of Object.entries(entries)) storage.items.set(key, value);
  return { ...storage, all: () => [...storage.items.keys()].sort() };
}

const headerOf = (started_at: number): Header =>
  ({ format: "touchline-log", v: 2, build: "b", channel: "c", locale: "en", started_at, snapshot: null }) as const;

const facts = (log: string, tab: string, started_at: number) => ({
  [factsKey(log)]: { log, tab, closed: false, header: headerOf(started_at) },
  [chunkKey(log, 0, 0)]: "",
});

const alone = { others: async () => [], continued: async () => [] };
const logsOf = async (storage: LogStorage): Promise<string[]> => (await listLogs(storage)).map(({ log }) => log);

it("data of closed tabs is retained for the last few of them, snapshots and logs alike", async () => {
  const closedTabs = Array.from({ length: 12 }, (_, n) => n);
  const storage = memory({
    ...facts("own", "me", 1),
    ...Object.assign({}, ...closedTabs.map((n) => facts(`log-${n}`, `gone-${n}`, 10 + n))),
  });
  const snapshots = memory({
    "persist:browser": 1,
    "persist:tab/me": 1,
    ...Object.fromEntries(closedTabs.map((n) => [`persist:tab/gone-${n}`, 1])),
  });
  await pruneOld({ storage, log: "own", tab: "me", ...alone }, snapshots);
  const retained = closedTabs.slice(4).map((n) => `gone-${n}`);
  expect(storage.all().filter((key) => key.endsWith("facts")).length).toBe(9);
  expect(snapshots.all()).toEqual(
    ["persist:browser", "persist:tab/me", ...retained.map((tab) => `persist:tab/${tab}`)].sort(),
  );
});

/** Reloads of one tab, oldest first; the last of them is the current page. */
const reloads = Array.from({ length: 12 }, (_, n) => `load-${String(n).padStart(2, "0")}`);
const reloaded = () => memory(Object.assign({}, ...reloads.map((log, n) => facts(log, "me", n))));
const present: Omit<LogDeps, "storage"> = { ...alone, log: "load-11", tab: "me" };

it("a tab that reloads often retains only its last few logs", async () => {
  const storage = reloaded();
  await pruneOld({ ...present, storage }, memory({}));
  expect(await logsOf(storage)).toEqual(reloads.slice(2));
});

it("a full storage with one tab's reloads is freed of everything unneeded", async () => {
  const stored = reloaded();
  const storage: LogStorage = {
    ...stored,
    update: async (keys, change) => {
      const makesRoom = [...change().values()].every((value) => value === undefined);
      if (!makesRoom && (await logsOf(stored)).length > 3) throw new DOMException("full", "QuotaExceededError");
      return stored.update(keys, change);
    },
  };
  const sink = openLog({ ...present, storage, continued: async () => ["load-03"] });
  sink.begin(headerOf(20), "");
  sink.write({ text: "{}", kind: "action", seq: 1, refs: [], blobs: [] });
  await expect(sink.flush()).resolves.toBeUndefined();
  expect(await logsOf(stored)).toEqual(["load-03", "load-10", "load-11"]);
});

it("an open tab retains its current log and the one before it", async () => {
  const closedTabs = Array.from({ length: 12 }, (_, n) => `gone-${String(n).padStart(2, "0")}`);
  const storage = memory(
    Object.assign(
      {},
      ...["other-1", "other-2", "other-3"].map((log, n) => facts(log, "you", n)),
      ...closedTabs.map((log, n) => facts(log, log, 10 + n)),
    ),
  );
  await pruneOld({ ...present, storage, others: async () => ["you"] }, memory({}));
  expect(await logsOf(storage)).toEqual(["other-2", "other-3", ...closedTabs.slice(4)]);
});

it("the log before a reload is this tab's own, and not the current one", async () => {
  const storage = memory({
    ...facts("first", "me", 1),
    ...facts("crashed", "me", 2),
    ...facts("now", "me", 4),
    ...facts("other", "you", 3),
  });
  expect((await earlierLog({ storage, log: "now", tab: "me", ...alone }))?.log).toBe("crashed");
});

it("a tab without an earlier log offers the newest of a tab that closed abnormally, and no log of an open one", async () => {
  const peaceful = facts("closed", "gone", 5);
  const storage = memory({
    ...facts("lost", "died", 2),
    ...facts("beside", "alive", 3),
    ...peaceful,
    [factsKey("closed")]: { ...(peaceful[factsKey("closed")] as object), closed: true },
    ...facts("now", "me", 6),
  });
  const parts = { ...alone, storage, log: "now", tab: "me" };
  expect((await earlierLog({ ...parts, others: async () => ["alive"] }))?.log).toBe("lost");
  expect(await earlierLog({ ...parts, others: async () => ["alive", "died"] })).toBeUndefined();
});
