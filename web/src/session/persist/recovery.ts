import type { State } from "../../eventlog/envelope";
import { type AnyProgram, firstState } from "../../eventlog/folding";
import { parseLog } from "../../eventlog/parse";
import { recoverState } from "../../eventlog/recovery";
import { pick, type Scopes } from "./scopes";
import type { Position, Snapshot } from "./snapshots";

export interface RecoveryDeps {
  program: AnyProgram;
  scopes: Scopes;
  /** The viewer's slices, as the last leader wrote them. */
  browser: Snapshot | null;
  /** This page's slices, as it last wrote them. */
  tab: Snapshot | null;
  /** The text of a recorded log; undefined if it no longer exists. */
  readLog(log: string): Promise<string | undefined>;
  /** The slices that this build can't use: a snapshot with any of them is rejected. */
  unsound(slices: State): readonly string[];
  /** Receives unreadable logs, which leave the snapshot as it is, and rejected snapshots. */
  report(error: unknown): void;
}

/** A page's initial state. */
export interface RecoveredState {
  readonly state: State;
  /** The log line of the viewer's slices; null if they are from no log. */
  readonly position: Position | null;
}

/**
 * The state after the last recorded action: each snapshot, with the later lines of its log folded over it. Undefined
 * without a snapshot to start from.
 */
export async function recover(deps: RecoveryDeps): Promise<RecoveredState | undefined> {
  const { program, scopes, readLog, unsound, report } = deps;

  function sound(snapshot: Snapshot | null, names: readonly string[]): Snapshot | null {
    const torn = snapshot === null ? [] : unsound(pick(snapshot.slices, names));
    if (torn.length === 0) return snapshot;
    report(new Error(`the stored state was rejected because of its ${torn.join(", ")}`));
    return null;
  }

  async function upToDate({ slices, position }: Snapshot, names: readonly string[]): Promise<Snapshot> {
    const picked = pick(slices, names);
    try {
      const text = await readLog(position.log);
      if (text === undefined) return { slices: picked, position };
      const recovered = recoverState(program, parseLog(text), { state: picked, position: position.seq });
      return { slices: pick(recovered.state, names), position: { log: position.log, seq: recovered.position } };
    } catch (error) {
      report(error);
      return { slices: picked, position };
    }
  }

  const tab = sound(deps.tab, scopes.tab);
  const browser = sound(deps.browser, scopes.browser);
  const pageSlices = tab && (await upToDate(tab, scopes.tab));
  const shared = browser && (await upToDate(browser, scopes.browser));
  if (!pageSlices && !shared) return undefined;
  // Slices missing from both are initial: a rejected snapshot leaves no hole.
  const state = firstState(program, { ...shared?.slices, ...pageSlices?.slices });
  return { state, position: shared?.position ?? null };
}
