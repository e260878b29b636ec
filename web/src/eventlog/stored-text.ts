import { factsKey, isChunkOf, type LogFacts, type LogStorage } from "./stored-log";

/** Under which keys the lines of a log are stored, in their order. */
export async function chunkKeys(storage: LogStorage, log: string): Promise<string[]> {
  return (await storage.keys()).filter((key) => isChunkOf(log, key)).sort();
}

/** A stored log as the text of its file; undefined if there is none of that name. Flush a running one first. */
export async function exportLog(storage: LogStorage, log: string): Promise<string | undefined> {
  const facts = (await storage.getItem(factsKey(log))) as LogFacts | null;
  if (!facts) return undefined;
  const texts = [`${JSON.stringify(facts.header)}\n`];
  for (const key of await chunkKeys(storage, log)) texts.push(((await storage.getItem(key)) as string | null) ?? "");
  return texts.join("");
}
