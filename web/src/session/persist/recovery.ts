import type { State } from "../../eventlog/envelope";
import { type AnyProgram, firstState } from "../../eventlog/folding";
import { parseLog } from "../../eventlog/parse";
import { recoverState } from "../../eventlog/recovery";
import { pick, type Scopes } from "./scopes";
import type { Position, Snapshot } from "./snapshots";

export interface RecoveryParts {
  program: AnyProgram;
  scopes: Scopes;
  /** What belongs to the viewer, as the tab that held it last wrote it. */
  browser: Snapshot | null;
  /** What belongs to this page, as it last wrote it. */
  tab: Snapshot | null;
  /** The text of a recorded log; undefined when it is gone. */
  readLog(log: string): Promise<string | undefined>;
  /** The slices that this build cannot go on from: a snapshot that has any is refused whole. */
  unsound(slices: State): readonly string[];
  /** Told of a log that could not be read, which leaves the snapshot alone, and of a snapshot that was refused. */
  report(error: unknown): void;
}

/** What a page starts from. */
export interface RecoveredState {
  readonly state: State;
  /** The line that the viewer's slices are of; null when they are from no log. */
  readonly position: Position | null;
}

/**
 * The state of the last recorded action: each snapshot, with the later lines of the log that it names folded over it.
 * Undefined when there is no snapshot to start from.
 */
export async function recover(parts: RecoveryParts): Promise<RecoveredState | undefined> {
  const { program, scopes, readLog, unsound, report } = parts;

  function sound(snapshot: Snapshot | null, names: readonly string[]): Snapshot | null {
    const torn = snapshot === null ? [] : unsound(pick(snapshot.slices, names));
    if (torn.length === 0) return snapshot;
    report(new Error(`the stored state was refused for its ${torn.join(", ")}`));
    return null;
  }

  async function upToDate({ slices, position }: Snapshot, names: readonly string[]): Promise<Snapshot> {
    const taken = pick(slices, names);
    try {
      const text = await readLog(position.log);
      if (text === undefined) return { slices: taken, position };
      const recovered = recoverState(program, parseLog(text), { state: taken, position: position.seq });
      return { slices: pick(recovered.state, names), position: { log: position.log, seq: recovered.position } };
    } catch (error) {
      report(error);
      return { slices: taken, position };
    }
  }

  const tab = sound(parts.tab, scopes.tab);
  const browser = sound(parts.browser, scopes.browser);
  const own = tab && (await upToDate(tab, scopes.tab));
  const shared = browser && (await upToDate(browser, scopes.browser));
  if (!own && !shared) return undefined;
  // What neither has is as a page starts: a refused snapshot leaves no hole.
  const state = firstState(program, { ...shared?.slices, ...own?.slices });
  return { state, position: shared?.position ?? null };
}
