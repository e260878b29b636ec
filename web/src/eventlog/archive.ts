import { type LogFacts, type LogStorage, logOfFacts, logPrefix } from "./stored-log";

/** This browser's stored logs, oldest first. Crashed sessions (not `closed`, no tab alive) are included. */
export async function listLogs(storage: LogStorage): Promise<LogFacts[]> {
  const keys = (await storage.keys()).filter((key) => logOfFacts(key) !== undefined);
  const facts = await Promise.all(keys.map((key) => storage.getItem(key) as Promise<LogFacts | null>));
  return facts
    .filter((found) => found !== null)
    .sort((one, other) => one.header.started_at - other.header.started_at || (one.log < other.log ? -1 : 1));
}

export async function removeLog(storage: LogStorage, log: string): Promise<void> {
  const keys = (await storage.keys()).filter((key) => key.startsWith(logPrefix(log)));
  await storage.update([], () => new Map(keys.map((key) => [key, undefined])));
}

/** Removes the oldest unneeded logs, except the newest `keep`; returns the number removed. */
export async function pruneLogs(
  storage: LogStorage,
  keep: number,
  isNeeded: (facts: LogFacts) => boolean,
): Promise<number> {
  const spare = (await listLogs(storage)).filter((facts) => !isNeeded(facts));
  const surplus = spare.slice(0, Math.max(0, spare.length - keep));
  for (const { log } of surplus) await removeLog(storage, log);
  return surplus.length;
}
