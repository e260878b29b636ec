/** What earlier pages left behind: fetched after the page is shown. */
import { listLogs, pruneLogs, removeLog } from "../eventlog/archive";
import type { LogFacts, LogStorage } from "../eventlog/stored-log";
import { type LogParts, tabSnapshot } from "./log";

/** How many logs are kept beside those that are still needed. */
const KEPT = 8;

/**
 * The logs that somebody needs: this page's, those that its snapshots go on from, the last one before it of this tab,
 * and the last two of each other tab that is there, which may be starting anew at this moment.
 */
async function neededLogs({ storage, log, tab, others, continued }: LogParts): Promise<ReadonlySet<string>> {
  const [logs, alive, snapshots] = await Promise.all([listLogs(storage), others(), continued()]);
  const newestOf = (name: string, count: number): string[] =>
    logs
      .filter((facts) => facts.tab === name && facts.log !== log)
      .slice(-count)
      .map((facts) => facts.log);
  return new Set([log, ...snapshots, ...newestOf(tab, 1), ...alive.flatMap((other) => newestOf(other, 2))]);
}

/** Removes the oldest logs that nobody needs, but for the newest `keep` of them; answers how many went. */
export async function prune(parts: LogParts, keep: number): Promise<number> {
  const needed = await neededLogs(parts);
  return pruneLogs(parts.storage, keep, ({ log }) => needed.has(log));
}

/**
 * Removes what a viewer who left recorded before this page (LOG-4): the logs of this tab and of those that are gone, but
 * for what a snapshot goes on from. The other tabs that are there begin theirs again by themselves.
 */
export async function removeEarlier({ storage, log, tab, others, continued }: LogParts): Promise<void> {
  const [logs, alive, snapshots] = await Promise.all([listLogs(storage), others(), continued()]);
  for (const facts of logs) {
    const isOver = facts.log !== log && (facts.tab === tab || !alive.includes(facts.tab));
    if (isOver && !snapshots.includes(facts.log)) await removeLog(storage, facts.log);
  }
}

/** Under which key a page's snapshot is stored (redux-persist adds its own prefix). */
const snapshotKey = (tab: string): string => `persist:${tabSnapshot(tab)}`;

/** Removes what earlier pages left behind: their oldest logs, and the snapshots of tabs without a log. */
export async function pruneOld(parts: LogParts, snapshots: LogStorage): Promise<void> {
  await prune(parts, KEPT);
  const needed = new Set((await listLogs(parts.storage)).map(({ tab }) => snapshotKey(tab)));
  for (const key of await snapshots.keys()) {
    if (key.startsWith(snapshotKey("")) && !needed.has(key)) await snapshots.removeItem(key);
  }
}

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
