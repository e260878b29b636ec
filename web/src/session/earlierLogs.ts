/** Data left by earlier pages. Loaded after the page is visible. */
import { listLogs, pruneLogs, removeLog } from "../eventlog/archive";
import type { LogFacts, LogStorage } from "../eventlog/stored-log";
import { type LogDeps, tabSnapshot } from "./log";

/** Number of unneeded logs to retain. */
const MAX_UNNEEDED = 8;

/**
 * The logs still in use: this page's, those that its snapshots continue, this tab's previous one, and the last two of
 * each other open tab, which may be reloading.
 */
async function neededLogs({ storage, log, tab, others, continued }: LogDeps): Promise<ReadonlySet<string>> {
  const [logs, openTabs, snapshots] = await Promise.all([listLogs(storage), others(), continued()]);
  const newestOf = (name: string, count: number): string[] =>
    logs
      .filter((facts) => facts.tab === name && facts.log !== log)
      .slice(-count)
      .map((facts) => facts.log);
  return new Set([log, ...snapshots, ...newestOf(tab, 1), ...openTabs.flatMap((other) => newestOf(other, 2))]);
}

/** Removes the oldest unneeded logs, except the newest `keep`; returns the number removed. */
export async function prune(deps: LogDeps, keep: number): Promise<number> {
  const needed = await neededLogs(deps);
  return pruneLogs(deps.storage, keep, ({ log }) => needed.has(log));
}

/**
 * Removes the logs of a viewer who left (LOG-4): those of this tab and of closed tabs, except those that a snapshot
 * continues. Other open tabs restart their own logs.
 */
export async function removeEarlier({ storage, log, tab, others, continued }: LogDeps): Promise<void> {
  const [logs, openTabs, snapshots] = await Promise.all([listLogs(storage), others(), continued()]);
  for (const facts of logs) {
    const hasEnded = facts.log !== log && (facts.tab === tab || !openTabs.includes(facts.tab));
    if (hasEnded && !snapshots.includes(facts.log)) await removeLog(storage, facts.log);
  }
}

/** The key of a page's snapshot (redux-persist adds its own prefix). */
const snapshotKey = (tab: string): string => `persist:${tabSnapshot(tab)}`;

/** Removes data left by earlier pages: their oldest logs, and the snapshots of tabs without a log. */
export async function pruneOld(deps: LogDeps, snapshots: LogStorage): Promise<void> {
  await prune(deps, MAX_UNNEEDED);
  const needed = new Set((await listLogs(deps.storage)).map(({ tab }) => snapshotKey(tab)));
  for (const key of await snapshots.keys()) {
    if (key.startsWith(snapshotKey("")) && !needed.has(key)) await snapshots.removeItem(key);
  }
}

/**
 * The log to send after a crash: this tab's last one before `log`, or else the newest of a tab that closed abnormally,
 * as all do when the browser crashes.
 */
export async function earlierLog({ storage, log, tab, others }: LogDeps): Promise<LogFacts | undefined> {
  const logs = (await listLogs(storage)).filter((facts) => facts.log !== log);
  const previous = logs.findLast((facts) => facts.tab === tab);
  if (previous) return previous;
  const openTabs = await others();
  return logs.findLast((facts) => !facts.closed && !openTabs.includes(facts.tab));
}
