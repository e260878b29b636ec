import type { State } from "../../eventlog/envelope";
import { pick, type Scopes } from "./scopes";
import type { Position, SnapshotLocation } from "./snapshots";

export interface WriterDeps {
  scopes: Scopes;
  browser: SnapshotLocation;
  tab: SnapshotLocation;
  /** The state between turns, and its log line. */
  now(): { state: State; position: Position };
  /** Settles once the log is durable up to its last line: a snapshot must never be ahead of its log. */
  flushLog(): Promise<void>;
  /** Whether this tab writes the viewer's slices. */
  leads(): boolean;
  after(ms: number, run: () => void): void;
  /** Receives the error that prevents writing, once while it stays the same. */
  report(error: unknown): void;
}

export interface Writer {
  /** The state changed: a snapshot follows soon. */
  changed(): void;
  /** Settles once the current state is stored. */
  write(): Promise<void>;
}

/** Debounce of snapshot writes, in milliseconds. The log has each change at once. */
const DEBOUNCE_MS = 1000;

const isSame = (a: State, b: State | null): boolean =>
  b !== null && Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);

/**
 * Writes the slices of one scope, unless they equal the last written ones: then the log's later lines don't affect
 * them.
 */
function scoped(location: SnapshotLocation, names: readonly string[]) {
  let written: State | null = null;
  return async (state: State, position: Position): Promise<void> => {
    const slices = pick(state, names);
    if (isSame(slices, written)) return;
    written = null;
    await location.write({ slices, position });
    written = slices;
  };
}

export function createWriter(deps: WriterDeps): Writer {
  const { scopes, now, flushLog, leads, after, report } = deps;
  const writeTab = scoped(deps.tab, scopes.tab);
  const writeBrowser = scoped(deps.browser, scopes.browser);
  let isDue = false;
  let reported = "";
  let writing: Promise<void> = Promise.resolve();

  async function store(): Promise<void> {
    isDue = false;
    const { state, position } = now();
    await flushLog();
    await writeTab(state, position);
    if (leads()) await writeBrowser(state, position);
  }

  function write(): Promise<void> {
    const next = writing.then(store, store);
    writing = next.catch(() => undefined);
    return next;
  }

  function reportOnce(error: unknown): void {
    if (String(error) === reported) return;
    reported = String(error);
    report(error);
  }

  return {
    changed() {
      if (isDue) return;
      isDue = true;
      after(DEBOUNCE_MS, () => {
        if (isDue) write().catch(reportOnce);
      });
    },
    write,
  };
}
