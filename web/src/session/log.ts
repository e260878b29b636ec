import { createSegmentedSink, type SegmentedSink } from "../eventlog/segments";
import type { LogStorage } from "../eventlog/stored-log";

export interface LogDeps {
  storage: LogStorage;
  log: string;
  tab: string;
  /** The other open tabs. */
  others(): Promise<readonly string[]>;
  /** The logs that this page's stored snapshots continue. */
  continued(): Promise<readonly string[]>;
}

/** This page's log: in segments, off the dispatch path. */
export function openLog(deps: LogDeps): SegmentedSink {
  const { storage, log, tab } = deps;
  return createSegmentedSink({
    storage,
    log,
    tab,
    defer: (run) => void setTimeout(run, 0),
    after: (ms, run) => void setTimeout(run, ms),
    // If that module can't be loaded, this log drops its own oldest lines.
    makeRoom: () =>
      import("./earlierLogs").then(
        async ({ prune }) => (await prune(deps, 0)) > 0,
        () => false,
      ),
  });
}

/** The name of a page's snapshot. */
export const tabSnapshot = (tab: string): string => `tab/${tab}`;

/**
 * A stored log as the text of its file, a running one's up to its last checkpoint. The reader's code is loaded on use.
 */
export async function logText({ storage, log }: LogDeps, isRunning = false): Promise<string | undefined> {
  const { exportLog } = await import("../eventlog/stored-text");
  return exportLog(storage, log, isRunning);
}
