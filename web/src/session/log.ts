import { createSegmentedSink, type SegmentedSink } from "../eventlog/segments";
import type { LogStorage } from "../eventlog/stored-log";

export interface LogParts {
  storage: LogStorage;
  log: string;
  tab: string;
  /** The other tabs that are there. */
  others(): Promise<readonly string[]>;
  /** The logs that this page's stored snapshots go on from. */
  continued(): Promise<readonly string[]>;
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
    // Where the part that does it cannot be fetched, this log forgets its own oldest lines.
    makeRoom: () =>
      import("./earlierLogs").then(
        async ({ prune }) => (await prune(parts, 0)) > 0,
        () => false,
      ),
  });
}

/** Under which name a page's snapshot is stored. */
export const tabSnapshot = (tab: string): string => `tab/${tab}`;

/** A stored log as the text of its file, a running one's up to its last checkpoint. What reads it is fetched then. */
export async function logText({ storage, log }: LogParts, isRunning = false): Promise<string | undefined> {
  const { exportLog } = await import("../eventlog/stored-text");
  return exportLog(storage, log, isRunning);
}
