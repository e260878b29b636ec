import { blobLine } from "./blobLine";
import { blobOf, factsKey, isChunkOf, type LogFacts, type LogStorage, logPrefix } from "./stored-log";

/**
 * A stored log as the text of its file, with blobs after lines; undefined if there is none of that name. Flush a
 * running one first: its text ends with its last checkpoint, since nothing covers the lines after it yet.
 */
export async function exportLog(storage: LogStorage, log: string, isRunning = false): Promise<string | undefined> {
  const entries = await storage.entries(logPrefix(log));
  const facts = entries.find(([key]) => key === factsKey(log))?.[1] as LogFacts | undefined;
  if (!facts) return undefined;
  const lines: string[] = [];
  const blobs: string[] = [];
  for (const [key, text] of entries) {
    const hash = blobOf(log, key);
    if (hash !== undefined) blobs.push(`${blobLine(hash, String(text))}\n`);
    else if (isChunkOf(log, key)) lines.push(String(text));
  }
  const text = lines.join("");
  return [`${JSON.stringify(facts.header)}\n`, isRunning ? upToCheckpoint(text) : text, ...blobs].join("");
}

/** A log's lines up to its last checkpoint; all of them without one. */
function upToCheckpoint(text: string): string {
  const checkpoint = text.lastIndexOf('"kind":"checkpoint"');
  const end = text.indexOf("\n", checkpoint);
  return checkpoint < 0 || end < 0 ? text : text.slice(0, end + 1);
}
