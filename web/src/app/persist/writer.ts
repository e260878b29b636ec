import type { State } from "../../eventlog/envelope";
import { pick, type Scopes } from "./recovery";
import type { Position, SnapshotPlace } from "./snapshots";

export interface WriterParts {
  scopes: Scopes;
  browser: SnapshotPlace;
  tab: SnapshotPlace;
  /** The state between turns, and the line of the log that it is of. */
  now(): { state: State; position: Position };
  /** Settles once the log is durable up to its last line: a snapshot must never be ahead of its log. */
  flushLog(): Promise<void>;
  /** Whether this tab writes what belongs to the viewer. */
  isHolder(): boolean;
  after(ms: number, run: () => void): void;
  report(error: unknown): void;
}

/** Writes snapshots of the state. */
export interface Writer {
  /** The state changed: a snapshot follows soon. */
  changed(): void;
  /** Settles once the present state is stored. */
  write(): Promise<void>;
}

/** How long changes are gathered before they are written, milliseconds. The log has each of them at once. */
const GATHERING_MS = 1000;

export function createWriter(parts: WriterParts): Writer {
  const { scopes, browser, tab, now, flushLog, isHolder, after, report } = parts;
  let isDue = false;
  let writing: Promise<void> = Promise.resolve();

  async function store(): Promise<void> {
    isDue = false;
    const { state, position } = now();
    await flushLog();
    await tab.write({ slices: pick(state, scopes.tab), position });
    if (isHolder()) await browser.write({ slices: pick(state, scopes.browser), position });
  }

  function write(): Promise<void> {
    const next = writing.then(store, store);
    writing = next.catch(() => undefined);
    return next;
  }

  return {
    changed() {
      if (isDue) return;
      isDue = true;
      after(GATHERING_MS, () => {
        if (isDue) write().catch(report);
      });
    },
    write,
  };
}
