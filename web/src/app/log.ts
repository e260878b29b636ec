import { exportLog, listLogs, pruneLogs } from "../eventlog/archive";
import { createSegmentedSink, type SegmentedSink } from "../eventlog/segments";
import type { LogFacts, LogStorage } from "../eventlog/stored-log";

/** How many logs of tabs that are gone are kept beside this one. */
const KEPT = 8;

export interface LogParts {
  storage: LogStorage;
  log: string;
  tab: string;
  /** The other tabs that are there. */
  others(): Promise<readonly string[]>;
}

/** Removes the oldest logs of tabs that are gone; answers how many went. */
async function prune({ storage, tab, others }: LogParts, keep: number): Promise<number> {
  const alive = new Set([tab, ...(await others())]);
  return pruneLogs(storage, keep, (facts) => alive.has(facts.tab));
}

/** Where this page's log goes: in segments, off the dispatch path. */
export function openLog(parts: LogParts): SegmentedSink {
  const { storage, log, tab } = parts;
  return createSegmentedSink({
    storage,
    log,
    tab,
    defer: (run) => void setTimeout(run, 0),
    after: (ms, run) => void setTimeout(run, ms),
    makeRoom: async () => (await prune(parts, 0)) > 0,
  });
}

/** Removes what tabs that are gone for good left behind: their oldest logs, and the snapshots of pages without a log. */
export async function pruneOld(parts: LogParts, snapshots: LogStorage): Promise<void> {
  await prune(parts, KEPT);
  const kept = new Set((await listLogs(parts.storage)).map(({ tab }) => snapshotKey(tab)));
  for (const key of await snapshots.keys()) {
    if (key.startsWith(snapshotKey("")) && !kept.has(key)) await snapshots.removeItem(key);
  }
}

/** Under which key a page's snapshot is stored (redux-persist adds its own prefix). */
const snapshotKey = (tab: string): string => `persist:${tabSnapshot(tab)}`;

export const tabSnapshot = (tab: string): string => `tab/${tab}`;

/**
 * The log to be sent after a crash: this tab's last one before `log`, or else the newest of a tab that went without a
 * word, as all do when the browser dies.
 */
export async function earlierLog({ storage, log, tab, others }: LogParts): Promise<LogFacts | undefined> {
  const logs = (await listLogs(storage)).filter((facts) => facts.log !== log);
  const own = logs.findLast((facts) => facts.tab === tab);
  if (own) return own;
  const alive = await others();
  return logs.findLast((facts) => !facts.closed && !alive.includes(facts.tab));
}

export const logText = ({ storage, log }: LogParts): Promise<string | undefined> => exportLog(storage, log);
